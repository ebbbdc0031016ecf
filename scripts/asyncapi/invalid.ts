import { Parser } from "@asyncapi/parser";

/** Severities of the parser: 0 is an error, 1 a warning. The rest is advice, such as to use a newer AsyncAPI. */
const maxSeverity = 1;

/** What AsyncAPI's parser refuses in a document, with its path. */
export async function invalid(document: string): Promise<string[]> {
  const found = await new Parser().validate(document);
  return found
    .filter(({ severity }) => severity <= maxSeverity)
    .map(({ message, path }) => `${path.join(".")}: ${message}`);
}
