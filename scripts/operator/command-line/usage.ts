/** The usage of an operator's tool, written from its commands. */
import type { Command, Tool } from "./tool.ts";

const column = 25;
const by = "--by <your name>";

/** Without -s, npm prints lines of its own before the records. */
const silently = (name: string) => `npm run -s ${name} -- …`;

/** All commands of a tool. */
export function usageOf({ name, commands, notes }: Tool): string {
  const unnamed = commands[""];
  if (unnamed !== undefined) return usageOfCommand({ name, commands, ...(notes && { notes }) }, "", unnamed);
  return [
    `usage: npm run ${name} -- <command>`,
    ...Object.entries(commands).flatMap(([command, its]) =>
      describe(`${command}${argumentsOf(its)}`, its.about),
    ),
    ...describe("--json", `print one JSON object per result, errors too; with ${silently(name)}`),
    ...describe("--help", "print the usage of one command, or of all"),
    ...(notes === undefined ? [] : [notes]),
  ].join("\n");
}

/** One command of a tool. */
export function usageOfCommand({ name, notes }: Tool, command: string, its: Command): string {
  const line = `usage: npm run ${name} -- ${command}${argumentsOf(its)} [--json]`;
  return [
    line.replace(/ +/g, " "),
    ...its.about.split("\n").map((text) => `  ${text}`),
    `  For --json: ${silently(name)}`,
    ...(command === "" && notes !== undefined ? [notes] : []),
  ].join("\n");
}

function argumentsOf({ takes = [], options = {}, changes }: Command): string {
  const all = [
    ...takes,
    ...Object.entries(options).map(([name, option]) => {
      const value = option.value === undefined ? "" : ` ${option.value}`;
      const text = `--${name}${value}${option.changes === true ? ` ${by}` : ""}`;
      return option.required === true ? text : `[${text}]`;
    }),
    ...(changes === true ? [by] : []),
  ];
  return all.map((text) => ` ${text}`).join("");
}

/** The command, then what it does: on the same line if there is room. */
function describe(command: string, about: string): string[] {
  const texts = about.split("\n").map((text) => `${" ".repeat(column + 3)}${text}`);
  const [first = "", ...rest] = texts;
  return command.length <= column
    ? [`  ${command.padEnd(column)} ${first.trimStart()}`, ...rest]
    : [`  ${command}`, ...texts];
}
