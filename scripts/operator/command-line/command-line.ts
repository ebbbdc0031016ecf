/**
 * The command line that all operators' tools share: `--help`, `--json` and `--by`, what is printed, and the exit code.
 * 0: done. 1: it failed, or a proof failed. 2: the command line itself is wrong, and nothing was tried.
 */
import { parseArgs } from "node:util";
import { issueMessage } from "../../../contracts/text/issue-message.ts";
import { operatorName } from "../../../contracts/text/operator-name.ts";
import { Given, Misuse, type Streams } from "./given.ts";
import type { Command, Tool } from "./tool.ts";
import { usageOf, usageOfCommand } from "./usage.ts";
import { jsonWithoutControls, withoutControls } from "./without-controls.ts";

// `import.meta.main` exists from Node 24.2 on: without it, each tool would end without doing anything.
if ((import.meta as { main?: boolean }).main === undefined)
  throw new Error(`Node ${process.versions.node} is too old: start it with npm run, which brings its own`);

const terminal: Streams = { out: console.log, error: console.error };

/**
 * Runs a tool with the process's arguments, and sets the exit code. Whoever reads the output may stop early
 * (`| head -1`): then the rest is not printed, and the command still runs to its end, because it may be changing
 * something.
 */
export async function runTool(tool: Tool): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", ignoreClosedPipe);
  process.exitCode = await runCommandLine(tool, process.argv.slice(2));
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

/** Returns the exit code. An error is printed as text, misuse with the usage; with `--json` as `{ "error": … }`. */
export async function runCommandLine(
  tool: Tool,
  args: readonly string[],
  streams: Streams = terminal,
): Promise<number> {
  const asJson = args.includes("--json");
  const fail = (message: string, usage: string) =>
    streams.error(
      asJson
        ? jsonWithoutControls({ error: message })
        : [withoutControls(message), usage].filter((part) => part !== "").join("\n"),
    );
  const { command, name, rest } = commandOf(tool, args);
  if (asksForHelp(args)) {
    streams.out(command === undefined ? usageOf(tool) : usageOfCommand(tool, name, command));
    return 0;
  }
  if (command === undefined) {
    fail(name === "" ? "a command is missing" : `unknown command ${name}`, usageOf(tool));
    return 2;
  }
  try {
    const given = parse(command, rest, streams);
    command.check?.(given);
    if (given.option("by") !== undefined) given.log(tool.name, name);
    await command.run(given);
    return given.hasFailed ? 1 : 0;
  } catch (error) {
    const misused = error instanceof Misuse;
    fail(messageOf(error), misused ? usageOfCommand(tool, name, command) : "");
    return misused ? 2 : 1;
  }
}

function commandOf(tool: Tool, args: readonly string[]) {
  const unnamed = tool.commands[""];
  if (unnamed !== undefined) return { command: unnamed, name: "", rest: args };
  const at = args.findIndex((text) => !text.startsWith("-"));
  const name = args[at] ?? "";
  const command = Object.hasOwn(tool.commands, name) ? tool.commands[name] : undefined;
  return { command, name, rest: args.filter((_, index) => index !== at) };
}

function asksForHelp(args: readonly string[]): boolean {
  return args[0] === "help" || args.includes("--help") || args.includes("-h");
}

/** Checks that everything that is required is there, and nothing else. Throws `Misuse` with what is wrong. */
function parse(command: Command, args: readonly string[], streams: Streams): Given {
  const { values, positionals, asJson } = parseWith(command, args);
  const takes = command.takes ?? [];
  const needed = takes.filter((name) => name.startsWith("<"));
  const options = Object.entries(command.options ?? {});
  const missing = [
    ...needed.slice(positionals.length),
    ...options.flatMap(([name, { required }]) =>
      required === true && values[name] === undefined ? [`--${name}`] : [],
    ),
    ...(changesWith(command, values) && values["by"] === undefined ? ["--by"] : []),
  ];
  if (missing.length > 0) throw new Misuse(`missing: ${missing.join(", ")}`);
  const excess = positionals.slice(takes.length);
  if (excess.length > 0) throw new Misuse(`unexpected: ${excess.join(" ")}`);
  if (values["by"] !== undefined) rejectName(values["by"]);
  return new Given({ positionals, values, asJson, streams });
}

function changingOptions({ options = {} }: Command): string[] {
  return Object.entries(options).flatMap(([name, { changes }]) => (changes === true ? [name] : []));
}

/** Whether the command changes something with these options. */
function changesWith(command: Command, values: Readonly<Record<string, string>>): boolean {
  return command.changes === true || changingOptions(command).some((name) => values[name] !== undefined);
}

function parseWith(command: Command, args: readonly string[]) {
  const mayChange = command.changes === true || changingOptions(command).length > 0;
  const described = { ...command.options, ...(mayChange ? { by: { value: "<your name>" } } : {}) };
  const options = Object.fromEntries(
    Object.entries(described).map(([name, { value }]) => [
      name,
      { type: value === undefined ? ("boolean" as const) : ("string" as const) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, json: { type: "boolean" } },
      allowPositionals: true,
    });
    const { json, ...others } = values;
    const texts = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)]));
    return { values: texts, positionals, asJson: json === true };
  } catch (error) {
    // An unknown option, or one without its value. What follows is about arguments that begin with a dash.
    const message = messageOf(error).replace(/\. To specify [^]*/, "");
    throw new Misuse(
      message.replace(/^Option '(--[\w-]+)[^]* argument (missing|is ambiguous)[^]*/, "$1 needs a value"),
    );
  }
}

function rejectName(by: string): void {
  const parsed = operatorName.safeParse(by, { error: issueMessage });
  if (!parsed.success) throw new Misuse(`--by: ${parsed.error.issues[0]?.message ?? "invalid"}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
