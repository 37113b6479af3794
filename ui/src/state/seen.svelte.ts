/**
 * The mirror as screens read it: each part on its own, so that whoever looks
 * at the agents is not woken by a word that one of them writes.
 */
import type { Mirror } from './mirror';

export class Seen implements Mirror {
  #now: () => Mirror;

  constructor(now: () => Mirror) {
    this.#now = now;
  }

  settings = $derived.by(() => this.#now().settings);
  agents = $derived.by(() => this.#now().agents);
  groups = $derived.by(() => this.#now().groups);
  members = $derived.by(() => this.#now().members);
  last = $derived.by(() => this.#now().last);
  sincePost = $derived.by(() => this.#now().sincePost);
  souls = $derived.by(() => this.#now().souls);
  providers = $derived.by(() => this.#now().providers);
  runs = $derived.by(() => this.#now().runs);
  steps = $derived.by(() => this.#now().steps);
  progress = $derived.by(() => this.#now().progress);
  waiting = $derived.by(() => this.#now().waiting);
  live = $derived.by(() => this.#now().live);
  threads = $derived.by(() => this.#now().threads);
  branches = $derived.by(() => this.#now().branches);
  starterModel = $derived.by(() => this.#now().starterModel);
  dataDir = $derived.by(() => this.#now().dataDir);
  heldUp = $derived.by(() => this.#now().heldUp);
  keys = $derived.by(() => this.#now().keys);
  approvals = $derived.by(() => this.#now().approvals);
  questions = $derived.by(() => this.#now().questions);
  grants = $derived.by(() => this.#now().grants);
  passes = $derived.by(() => this.#now().passes);
  sources = $derived.by(() => this.#now().sources);
  proposals = $derived.by(() => this.#now().proposals);
  servers = $derived.by(() => this.#now().servers);
  skills = $derived.by(() => this.#now().skills);
  page = $derived.by(() => this.#now().page);
  memoryIndex = $derived.by(() => this.#now().memoryIndex);
  memoryProgress = $derived.by(() => this.#now().memoryProgress);
  backupProgress = $derived.by(() => this.#now().backupProgress);
}
