/** What an operator's tool is: its commands, with their arguments and options. */
import type { Given } from "./given.ts";

export interface Option {
  /** What stands behind it in the usage: "<time>". A switch has none. */
  readonly value?: string;
  readonly required?: true;
  /** With it, the command changes something that it otherwise leaves as it is: then it needs `--by`. */
  readonly changes?: true;
}

export interface Command {
  /** What it does, as an imperative; line breaks are kept. */
  readonly about: string;
  /** Its arguments, in order: "<book id>", or "[book id]" if it can be left out. */
  readonly takes?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  /** It changes something, so it needs `--by`, and its use is written to the log before it runs. */
  readonly changes?: true;
  /** Throws `Misuse` if an argument is wrong. Called before anything is connected or logged. */
  readonly check?: (given: Given) => unknown;
  readonly run: (given: Given) => Promise<void>;
}

export interface Tool {
  /** Its name among the scripts of package.json. */
  readonly name: string;
  /** By name. The command "" has no name, and is the only one of its tool. */
  readonly commands: Readonly<Record<string, Command>>;
  /** Printed after the commands. */
  readonly notes?: string;
}
