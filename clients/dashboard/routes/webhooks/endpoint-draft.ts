/** What the form of an endpoint holds, and the body that it comes to. */
import type {
  EventSubscription,
  WebhookEndpoint,
  WebhookEndpointCreate,
} from "../../../typescript/types.gen.ts";

export interface EndpointDraft {
  readonly url: string;
  readonly description: string;
  readonly isEveryType: boolean;
  readonly eventTypes: readonly string[];
  readonly maxAttempts: string;
  readonly backoffSeconds: string;
  readonly ratePerSecond: string;
  readonly disableAfterDays: string;
}

/** The types that an endpoint without a list of types receives. */
const usual: readonly EventSubscription[] = [
  "payment_order.pending",
  "payment_order.completed",
  "payment_order.failed",
  "payment_order.returned",
  "payment_order.cancelled",
  "fuel_tax.remittance_cleared",
  "fuel_tax.remittance_returned",
];

export function emptyDraft(url = ""): EndpointDraft {
  return {
    url,
    description: "",
    isEveryType: false,
    eventTypes: usual,
    maxAttempts: "",
    backoffSeconds: "",
    ratePerSecond: "",
    disableAfterDays: "",
  };
}

export function draftFrom(endpoint: WebhookEndpoint): EndpointDraft {
  const { url, description, eventTypes, maxAttempts, backoffSeconds, ratePerSecond, disableAfterDays } =
    endpoint;
  return {
    url,
    description: description ?? "",
    isEveryType: eventTypes.includes("*"),
    eventTypes: eventTypes.filter((type) => type !== "*"),
    maxAttempts: textOf(maxAttempts),
    backoffSeconds: backoffSeconds?.join(", ") ?? "",
    ratePerSecond: textOf(ratePerSecond),
    disableAfterDays: textOf(disableAfterDays),
  };
}

/** Empty fields are null: the service's own settings. What is no number is left for the API to refuse. */
export function draftOf(draft: EndpointDraft) {
  const { url, description, isEveryType, eventTypes } = draft;
  return {
    url: url.trim(),
    description: description.trim() === "" ? null : description.trim(),
    eventTypes: isEveryType ? ["*" as const] : (eventTypes as EventSubscription[]),
    maxAttempts: numberOf(draft.maxAttempts),
    backoffSeconds:
      draft.backoffSeconds.trim() === "" ? null : draft.backoffSeconds.split(/[\s,]+/).map(Number),
    ratePerSecond: numberOf(draft.ratePerSecond),
    disableAfterDays: numberOf(draft.disableAfterDays),
  } satisfies WebhookEndpointCreate;
}

function textOf(value: number | null): string {
  return value === null ? "" : String(value);
}

function numberOf(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}
