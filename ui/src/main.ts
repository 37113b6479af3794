/** The window begins here: it picks the door and draws the rest. */
import { mount } from 'svelte';
import type { Backend } from './api/backend';
import App from './App.svelte';
import './styles/app.css';

async function door(): Promise<Backend> {
  // In the built window this is gone; `vite build --mode fake` keeps it, to measure and to look.
  if ((import.meta.env.DEV || import.meta.env.MODE === 'fake') && !('__TAURI_INTERNALS__' in window)) {
    const { fakeFor } = await import('./api/fake');
    return fakeFor(location.search);
  }
  return (await import('./api/tauri')).tauri;
}

const target = document.getElementById('window');
if (target) mount(App, { target, props: { backend: await door() } });
