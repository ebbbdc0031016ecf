/** A request as a command for a terminal, with the key in a variable: no key of anybody is copied. */
export interface CurlRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** The `ETag` of what is shown. */
  readonly ifMatch?: string | undefined;
}

export function curlOf({ method, path, body, idempotencyKey, ifMatch }: CurlRequest, origin: string): string {
  return [
    `curl -s -X ${method} ${quoted(origin + path)}`,
    `-H "X-API-Key: $QUITTANCE_API_KEY"`,
    ...(idempotencyKey === undefined ? [] : [`-H ${quoted(`Idempotency-Key: ${idempotencyKey}`)}`]),
    ...(ifMatch === undefined ? [] : [`-H ${quoted(`If-Match: ${ifMatch}`)}`]),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(" \\\n  ");
}

/** Single quotes, in which a shell reads everything but the quote itself as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
