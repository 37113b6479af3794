/** What the runtime tells with a command of the terminal, told with what the window has. */
import type { Mistake } from '../mistakes';

export const mistakes: Partial<Record<Mistake, string>> = {
  tool_missing: 'There is no tool {name}; Settings under Skills names them all.',
  skill_missing: 'There is no skill {name}; Settings under Skills names them all.',
  server_missing: 'There is no MCP server {name} now; its tools come when it is set up in Settings under MCP.',
  delegate_missing: 'There is no soul {name} to give tasks to; the page Souls names them all.',
  skill_link:
    'This is a link or no plain file, and skills are folders with plain files; put the folder itself here, in Settings under Skills.',
};
