/** How a tool is called where a person decides about it. */
import type { McpServer } from '../api/generated';
import { writtenOut } from '../parts/visible';

/** Behind it how its server calls the two, where that cannot be read out of the name that agents know it by. */
export function sayTool(servers: ReadonlyMap<string, McpServer>, tool: string): string {
  const server = tool.includes('__') ? servers.get(tool.slice(0, tool.indexOf('__'))) : undefined;
  const own = server?.tools.find((one) => one.offered_as === tool)?.name;
  const known = [server?.setup.title, tool.endsWith(`__${own ?? ''}`) ? undefined : own].filter(
    (name) => name !== undefined,
  );
  return known.length === 0 ? tool : `${tool} (${known.map(writtenOut).join(': ')})`;
}
