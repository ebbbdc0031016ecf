import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { services } from "../../contracts/message.ts";
import { checkMetrics } from "./metrics.ts";
import { show } from "./source.ts";

const code = `
  this.#age = metrics.gauge("outbox_oldest_seconds", "Age of the oldest message", ["stream"]);
  failed: metrics.counter<"outcome">(
    "consumer_messages_total",
    "Messages by outcome",
    [
      "stream",
      "outcome",
    ],
  ),
  seconds: metrics.histogram("request_seconds", "Requests answered"),
`;
const rows = "| `quittance_outbox_oldest_seconds{stream}` | `quittance_request_seconds_count` |";
const found = (path: string, text: string, spec = "") =>
  checkMetrics([
    { path: "services/platform/outbox/relay.ts", text: code },
    { path: "services/platform/outbox/relay.spec.ts", text: spec },
    ...(path === "docs/operate/alerts.md" ? [] : [{ path: "docs/operate/alerts.md", text: rows }]),
    { path, text },
  ]).map(show);
const inRules = (expression: string) => found("deploy/alerts.yml", expression);

it("metrics of the code are accepted, with its labels, and the parts of its histograms", () => {
  expect(found("docs/operate/alerts.md", rows)).toEqual([]);
  expect(
    found("docs/operate/messages.md", '`quittance_consumer_messages_total{stream,outcome="dead-lettered"}`'),
  ).toEqual([]);
  expect(
    inRules('max by (stream) (max_over_time(quittance_outbox_oldest_seconds{stream=~"C.*"}[2m])) > 30'),
  ).toEqual([]);
});

it("a metric that no service has is refused, in a rule and in a document", () => {
  const gone = "quittance_outbox_oldest_ms";
  const message = "no service has the metric quittance_outbox_oldest_ms";
  expect(found("docs/operate/alerts.md", `\n| \`${gone}\` |`)).toEqual([
    `docs/operate/alerts.md:2: ${message}`,
  ]);
  expect(inRules(`${gone} > 30`)).toContain(`deploy/alerts.yml:1: ${message}`);
  expect(
    found("docs/operate/alerts.md", `\`${gone}\``, `metrics.gauge("outbox_oldest_ms", "")`),
  ).toHaveLength(1);
});

it("a histogram without its ending, and a label that the metric has not, are refused", () => {
  expect(found("docs/operate/failures.md", "`quittance_request_seconds`")).toHaveLength(1);
  expect(inRules('quittance_outbox_oldest_seconds{subject="a",stream="b"} > 30')).toEqual([
    "deploy/alerts.yml:1: quittance_outbox_oldest_seconds has no label subject",
  ]);
});

it("a rule whose metric no row explains is refused", () => {
  expect(inRules("rate(quittance_consumer_messages_total[5m]) > 0")).toEqual([
    "deploy/alerts.yml:1: quittance_consumer_messages_total has no row in docs/operate/alerts.md: say what to do",
  ]);
});

it("the rules have an alert for each service that is absent", () => {
  const rules = readFileSync(new URL("../../deploy/alerts.yml", import.meta.url), "utf8");
  for (const service of services) expect(rules).toContain(`absent(quittance_ready{service="${service}"})`);
});
