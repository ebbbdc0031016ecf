/** `npm run orders`: orders that are stuck, and events that orders could not apply. */
import { runTool } from "./command-line/command-line.ts";
import type { Tool } from "./command-line/tool.ts";
import { parkedEventCommands } from "./orders/parked-events.ts";
import { resolveCommand } from "./orders/resolve.ts";
import { showCommand } from "./orders/show.ts";
import { stuckCommand } from "./orders/stuck.ts";

export const orders: Tool = {
  name: "orders",
  commands: { ...stuckCommand, ...showCommand, ...resolveCommand, ...parkedEventCommands },
};

if (import.meta.main) await runTool(orders);
