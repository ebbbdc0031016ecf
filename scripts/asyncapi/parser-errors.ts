import { Parser } from "@asyncapi/parser";

/** Severities of the parser: 0 is an error, 1 a warning. The rest is advice, such as to use a newer AsyncAPI. */
const maxSeverity = 1;

/** The errors and warnings of AsyncAPI's own parser for a document (JSON), each as `path: message`. */
export async function parserErrors(document: string): Promise<string[]> {
  const found = await new Parser().validate(document);
  return found
    .filter(({ severity }) => severity <= maxSeverity)
    .map(({ message, path }) => `${path.join(".")}: ${message}`);
}
