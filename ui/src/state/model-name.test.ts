import { expect, it } from 'vitest';
import { shortModel } from './model-name';

it.each([
  ['local/SmolLM2-135M-Instruct.Q4_1', 'SmolLM2-135M'],
  ['local/SmolLM2-135M-Instruct-Q4_1.gguf', 'SmolLM2-135M'],
  ['ollama/qwen3:8b', 'qwen3:8b'],
  ['ollama/llama3.1:8b-instruct-q4_K_M', 'llama3.1:8b'],
  ['ollama/llama3:latest', 'llama3'],
  ['lmstudio/google/gemma-3-4b-it', 'gemma-3-4b'],
  ['lmstudio/mlx-community/Qwen3-4B-4bit', 'Qwen3-4B'],
  ['openai/gpt-4o-2024-08-06', 'gpt-4o'],
  ['anthropic/claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
  ['deepseek/deepseek-chat', 'deepseek-chat'],
  ['scripted/play', 'play'],
  ['x/Q4_1', 'Q4_1'],
  ['', ''],
])('%s is called %s in short', (model, name) => expect(shortModel(model)).toBe(name));
