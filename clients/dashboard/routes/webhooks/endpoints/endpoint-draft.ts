/** What the form of an endpoint holds, and the body that it comes to. */
import type {
  EventSubscription,
  WebhookEndpoint,
  WebhookEndpointCreate,
} from "../../../../typescript/types.gen.ts";
import { durationInWords, secondsOf } from "../../../parts/values/duration.ts";

export interface EndpointDraft {
  readonly url: string;
  readonly description: string;
  readonly isEveryType: boolean;
  readonly eventTypes: readonly string[];
  readonly maxAttempts: string;
  /** As a person writes them: `30 s, 5 min`. */
  readonly pauses: string;
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
    pauses: "",
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
    pauses: pausesInWords(backoffSeconds),
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
    backoffSeconds: pausesOf(draft.pauses).seconds,
    ratePerSecond: numberOf(draft.ratePerSecond),
    disableAfterDays: numberOf(draft.disableAfterDays),
  } satisfies WebhookEndpointCreate;
}

/** The fields that the form changed. The others are not sent, because somebody else may have changed them. */
export function changesOf(before: EndpointDraft, after: EndpointDraft): Partial<ReturnType<typeof draftOf>> {
  const known = new Map(Object.entries(draftOf(before)));
  return Object.fromEntries(
    Object.entries(draftOf(after)).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(known.get(field)),
    ),
  );
}

export function pausesInWords(seconds: readonly number[] | null): string {
  return seconds?.map(durationInWords).join(", ") ?? "";
}

/** The pauses in seconds, null if there are none, and the first part that can't be read. */
export function pausesOf(text: string) {
  if (text.trim() === "") return { seconds: null };
  const parts = text.split(/[,;]/).map((part) => part.trim());
  const seconds = parts.map(secondsOf);
  const unreadable = parts.find((_part, index) => seconds[index] === undefined);
  return { seconds: seconds.filter((one) => one !== undefined), unreadable };
}

function textOf(value: number | null): string {
  return value === null ? "" : String(value);
}

function numberOf(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}
