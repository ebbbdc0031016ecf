/** A file of the repository as the checks see it: the path from the root, with slashes, and its text. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** What a check found. The message says what to do. */
export interface Finding {
  readonly path: string;
  readonly line?: number;
  readonly message: string;
}

export function show({ path, line, message }: Finding): string {
  return `${path}${line === undefined ? "" : `:${String(line)}`}: ${message}`;
}

/** Every line of a file with its number, beginning at 1. */
export function linesOf({ text }: Source): { line: number; text: string }[] {
  return text.split("\n").map((one, index) => ({ line: index + 1, text: one }));
}

export const isSpec = (path: string): boolean => path.endsWith(".spec.ts");
