/** The typed client that is generated from the OpenAPI document. */
import { type Client, createClient, createConfig } from "../../clients/typescript/client/index.ts";
import type { Answer } from "../../scripts/local/demo/api.ts";

export * from "../../clients/typescript/sdk.gen.ts";
export type { Client };

declare global {
  /** The generated client uses this type, which Node's types lack. */
  type BodyInit = NonNullable<RequestInit["body"]>;
}

/** A client with this key. It doesn't throw on an error response; see `answerOf` and `bodyOf`. */
export function clientOf(baseUrl: string, key: string): Client {
  return createClient(createConfig({ baseUrl, auth: key }));
}

type Result<T> = Promise<{ data?: T; error?: unknown; response?: Response }>;

/** The response, whatever its status. Throws if there was none. */
export async function answerOf<T>(result: Result<T>): Promise<Answer<T>> {
  const { data, error, response } = await result;
  if (response === undefined) throw error instanceof Error ? error : new Error(String(error));
  return { status: response.status, body: (data ?? error) as T, headers: response.headers };
}

/** The body of a successful response. Throws the problem otherwise. */
export async function bodyOf<T>(result: Result<T>): Promise<T> {
  const { data, error, response } = await result;
  if (data !== undefined && response?.ok === true) return data;
  if (error instanceof Error) throw error; // there was no response
  throw new Error(`refused: ${JSON.stringify(error ?? String(response?.status))}`);
}
