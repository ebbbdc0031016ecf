import type { WebhookErrorClass } from "../../../../contracts/http/webhooks/webhooks.ts";

/** How far the connection of an attempt has come. One that is reused is Ready from the start. */
export type ConnectionPhase = "Resolving" | "Connecting" | "Securing" | "Ready";

/** A receiver's host has an address that no request may go to. */
export class UnsafeTargetError extends Error {
  override readonly name = "UnsafeTargetError";
  readonly errorClass = "Unsafe";
  constructor() {
    super("the host resolves to a private, loopback, link-local or reserved address");
  }
}

/** The attempt took longer than it may. */
export class TimedOutError extends Error {
  override readonly name = "TimedOutError";
  readonly errorClass = "Timeout";
  constructor(timeoutMs: number) {
    super(`no complete answer within ${String(timeoutMs / 1000)} s`);
  }
}

const ownFaults = {
  Resolver: "our name resolver does not answer",
  Route: "we have no route to the internet",
  Resources: "we are out of memory or file handles",
  Ports: "we are out of local ports",
} as const;
export type OwnFaultReason = keyof typeof ownFaults;

/** A failure on our side, in which the receiver had no part. Its cause is for operators: it may name our addresses. */
export class OwnFault extends Error {
  override readonly name = "OwnFault";
  readonly errorClass = "Ours";
  readonly reason: OwnFaultReason;
  constructor(reason: OwnFaultReason, cause: Error) {
    super(`not sent: ${ownFaults[reason]}. This uses up no attempt.`, { cause });
    this.reason = reason;
  }
}

const classOfCode: Readonly<Record<string, WebhookErrorClass>> = {
  ETIMEDOUT: "Timeout",
  // None of several addresses connected, though the attempt had time left.
  UND_ERR_CONNECT_TIMEOUT: "Connect",
  ECONNRESET: "Reset",
  EPIPE: "Reset",
  UND_ERR_SOCKET: "Reset",
  UND_ERR_HEADERS_OVERFLOW: "TooLong",
};
/** What was under way when an error without a class of its own occurred. Ready: what arrived was no HTTP. */
const classOfPhase: Readonly<Record<ConnectionPhase, WebhookErrorClass>> = {
  Resolving: "Dns",
  Connecting: "Connect",
  Securing: "Tls",
  Ready: "Reset",
};

/**
 * Why an attempt failed, or null if it was acknowledged. A status that arrived decides, whatever happened to the
 * connection afterwards.
 */
export function errorClassOf(
  responseStatus: number | null,
  error: Error | null,
  phase: ConnectionPhase,
): WebhookErrorClass | null {
  if (responseStatus !== null) {
    if (responseStatus <= 299) return null;
    return responseStatus <= 399 ? "Redirect" : "Status";
  }
  if (error === null) return "Reset";
  if (error instanceof UnsafeTargetError || error instanceof TimedOutError || error instanceof OwnFault)
    return error.errorClass;
  const code = "code" in error ? String(error.code) : "";
  return classOfCode[code] ?? classOfPhase[phase];
}
