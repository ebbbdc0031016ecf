/** What an operator's command was given, and how it answers. */
import { createLogger } from "../../../services/platform/observability/logger.ts";
import { jsonWithoutControls, withoutControls } from "./without-controls.ts";

/** Where a tool writes to. */
export interface Streams {
  readonly out: (line: string) => void;
  readonly error: (line: string) => void;
}

/** The command line is wrong. The message says what; the usage is printed behind it. */
export class Misuse extends Error {
  override readonly name = "Misuse";
}

interface Parsed {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string>>;
  readonly asJson: boolean;
  readonly streams: Streams;
}

export class Given {
  /** The arguments, in order. The required ones are there. */
  readonly arguments: readonly string[];
  /** Set by a command that ran to its end and found something wrong: the exit code is 1. */
  hasFailed = false;
  readonly #values: Readonly<Record<string, string>>;
  readonly #asJson: boolean;
  readonly #streams: Streams;

  constructor({ positionals, values, asJson, streams }: Parsed) {
    this.arguments = positionals;
    this.#values = values;
    this.#asJson = asJson;
    this.#streams = streams;
  }

  /** The argument at this place; required ones are there. */
  argument(index: number): string {
    return this.arguments[index] ?? "";
  }

  option(name: string): string | undefined {
    return this.#values[name];
  }

  /** Whether a switch is set. */
  has(name: string): boolean {
    return this.#values[name] !== undefined;
  }

  /** An option that the command requires. */
  required(name: string): string {
    const value = this.#values[name];
    if (value === undefined) throw new Misuse(`missing: --${name}`);
    return value;
  }

  /** Who runs it. Only what changes something has a `--by`. */
  get by(): string {
    return this.required("by");
  }

  /** Prints a result: the lines for a person, or with `--json` the record as one line. */
  print(record: object, ...lines: readonly string[]): void {
    if (this.#asJson) this.#streams.out(jsonWithoutControls(record));
    else for (const line of lines) this.#streams.out(withoutControls(line));
  }

  /** Prints what only a person needs, such as that a list is empty. Nothing with `--json`. */
  note(...lines: readonly string[]): void {
    if (!this.#asJson) for (const line of lines) this.#streams.out(withoutControls(line));
  }

  /**
   * Writes who runs what to the log, on standard error, before anything changes. No argument is a secret, except that
   * evidence may contain an account number: it is stored once the service has accepted it.
   */
  log(tool: string, command: string): void {
    const { by, ...others } = this.#values;
    const options = Object.fromEntries(Object.entries(others).filter(([name]) => name !== "evidence"));
    const stream = {
      write: (line: string) => this.#streams.error(jsonWithoutControls(JSON.parse(line) as object)),
    };
    createLogger("operator", "info", stream).info(
      { by, command: `${tool} ${command}`.trim(), arguments: this.arguments, options },
      "an operator runs a command",
    );
  }
}
