import { describe, expect, it } from "vitest";
import { books } from "../books.ts";
import { runCommandLine } from "./command-line.ts";
import { dlq } from "../dlq.ts";
import { orders } from "../orders.ts";
import { proveTool } from "../prove.ts";
import { republishTool } from "../republish.ts";
import { tenants } from "../tenants.ts";
import type { Tool } from "./tool.ts";
import { versions } from "../versions.ts";
import { webhooks } from "../webhooks.ts";

const aMinuteAgo = new Date(Date.now() - 60_000).toISOString();

async function run(tool: Tool, ...args: string[]): Promise<{ code: number; out: string[]; error: string[] }> {
  const [out, error]: [string[], string[]] = [[], []];
  const streams = { out: (line: string) => out.push(line), error: (line: string) => error.push(line) };
  return { code: await runCommandLine(tool, args, streams), out, error };
}

const resolving = (as: string, evidence: string) =>
  ["resolve", "po_01jd3k5s8ye9v8z2r0q3m7n4xa", "--as", as, "--evidence", evidence, "--by", "ada"] as const;

const aBook = ["book_01jd3k5s8ye9v8z2r0q3m7n4xa"] as const;
const why = ["--reason", "why", "--by", "ada"] as const;

/** A right command line but for this option; the last of two that are equal counts. */
const creating = (option: string, value: string) =>
  `create-key --tenant Northwind --mode Test --principal ana --scopes all --by ada ${option}`
    .split(" ")
    .concat(value);

const setting = (days: string) =>
  ["set", "Northwind", "--mode", "Live", "--completes-after-banking-days", days, "--by", "ada"] as const;

/** A right replay but for this option; the last of two that are equal counts. */
const replaying = (...option: string[]) =>
  "replay --tenant Northwind --mode Test --since 2027-01-30 --until 2027-01-31T10:00:00Z --by ada"
    .split(" ")
    .concat(option);

describe("what is wrong", () => {
  const misuses: readonly (readonly [Tool, readonly string[], string])[] = [
    [books, [], "a command is missing"],
    [books, ["thaw"], "unknown command thaw"],
    [books, ["freeze"], "missing: <book id>, --reason, --by"],
    [books, ["freeze", "book_1", "--reason", "why", "--by", "ada"], "book_1 is not a book's id"],
    [books, ["freeze", "book_1", "--reason"], "--reason needs a value"],
    [books, ["freeze", "book_1", "--reason", "--by", "ada"], "--reason needs a value"],
    [books, ["quarantine", ...aBook, "first", ...why], "first is not a command's position"],
    [books, ["drop", ...aBook, "0", ...why], "0 is not a command's position"],
    [books, ["aside", "acme"], "acme is not a book's id"],
    [books, ["leave-out", ...aBook, "ledger", ...why], "missing: <message id>"],
    [books, ["leave-out", ...aBook, "ledger", "1", ...why], "1 is not a message's id"],
    [dlq, ["show", "first"], "first is not a dead letter's number"],
    [dlq, ["drop", "0", "--by", "ada"], "0 is not a dead letter's number"],
    [dlq, ["show", "1e1"], "1e1 is not a dead letter's number"],
    [dlq, ["show", "0x1"], "0x1 is not a dead letter's number"],
    [dlq, ["show", ""], "an empty text is not a dead letter's number"],
    [dlq, ["show", "9".repeat(20)], "is not a dead letter's number"],
    [orders, ["resolve"], "missing: <order id>, --as, --evidence, --by"],
    [orders, resolving("paid", "bank's portal"), "--as: must be settled or failed"],
    [orders, resolving("settled", "portal"), "--evidence: must have at least 10 characters"],
    [orders, ["show", "po_1"], "po_1 is not a payment order's id, po_…"],
    [orders, ["decide", "po_1", ...why], "po_1 is not a message's id"],
    [proveTool, ["--export", "book.gz"], "missing: --book"],
    [proveTool, ["--export", "a", "--file", "b"], "--file and --export exclude each other"],
    [proveTool, ["--heads", "a", "--book", "b"], "--book and --heads exclude each other"],
    [proveTool, ["--file", "a", "--book", "b"], "--book and --file exclude each other"],
    [proveTool, ["a", "--book", "b"], "a book id and --book exclude each other"],
    [proveTool, ["acme"], "acme is not a book's id"],
    [proveTool, ["--file", "/nowhere/a.gz"], "--file: /nowhere/a.gz is no file that can be read: name one"],
    [proveTool, ["--file", "/"], "--file: / is no file that can be read: name one that --export wrote"],
    [
      proveTool,
      ["--heads", "/nowhere/a"],
      "--heads: /nowhere is no folder that can be written: name another",
    ],
    [proveTool, ["--heads", "/tmp"], "--heads: /tmp is a folder: name a file in it"],
    [
      proveTool,
      ["--export", "/nowhere/a.gz", "--book", "book_01jd3k5s8ye9v8z2r0q3m7n4xa"],
      "--export: /nowhere is no folder that can be written: name another file",
    ],
    [republishTool, ["--since", "noon", "--by", "ada"], "--since must be a past time"],
    [republishTool, ["--since", "2999-01-01T00:00:00Z", "--by", "ada"], "--since must be a past time"],
    [republishTool, ["--since", "2026-02-30", "--by", "ada"], "--since must be a past time"],
    [republishTool, ["--since", "2026-02-30T10:00:00Z", "--by", "ada"], "--since must be a past time"],
    [republishTool, ["--since", "2020-01-01", "--by", "ada"], "--since: the outbox keeps 8 days"],
    [republishTool, ["--since", aMinuteAgo, "--service", "x", "--by", "ada"], "--service must be one of"],
    [tenants, ["revoke-key", "mine", "--by", "ada"], "send the key's id, key_…"],
    [tenants, creating("--expires", "2999-02-30"), "--expires must be a future time"],
    [tenants, ["suspend", "", "--by", "ada"], "name the tenant, by its id or name"],
    [tenants, ["reactivate", " ", "--by", "ada"], "name the tenant, by its id or name"],
    [tenants, setting("six"), "--completes-after-banking-days must be a whole number from 0 to 5"],
    [tenants, setting("6"), "--completes-after-banking-days must be a whole number from 0 to 5"],
    [tenants, [...setting("2"), "--mode", "test"], "--mode must be Test or Live"],
    [tenants, ["keys", ""], "name the tenant, by its id or name"],
    [tenants, creating("--tenant", ""), "name the tenant, by its id or name"],
    [tenants, ["create", "", "--by", "ada"], "<name>: Send a name of 1 to 100 visible characters."],
    [
      tenants,
      creating("--ip", "300.1.1.1"),
      "--ip: Send addresses or CIDR blocks. These are neither: 300.1.1.1.",
    ],
    [tenants, creating("--principal", ""), "--principal: Send a principal of 1 to 100 visible characters."],
    [tenants, creating("--principal", "Operator"), "--principal: Operator is reserved for the service."],
    [tenants, creating("--name", ""), "--name: Send a name of 1 to 100 visible characters."],
    [webhooks, ["replay"], "missing: --tenant, --mode, --since, --until, --by"],
    [webhooks, replaying("--mode", "live"), "--mode must be Test or Live"],
    [webhooks, replaying("--since", "yesterday"), "--since must be a date or a time"],
    [webhooks, replaying("--until", "2027-02-30"), "--until must be a date or a time"],
    [webhooks, replaying("--until", "2027-01-30"), "--until: must be later than since"],
    [webhooks, replaying("--since", "2026-12-01"), "--until: must be at most 31 days after since"],
    [webhooks, replaying("--endpoint", "wh_1"), "--endpoint: must be an id that begins with we_"],
    [webhooks, replaying("--status", "Pending"), "--status: must be Delivered or DeadLettered"],
    [webhooks, replaying("--include-missed"), "--endpoint: is required with includeMissed"],
    [webhooks, replaying("--dry-run", "1"), "unexpected: 1"],
    [webhooks, ["cancel-replay", "we_1", "--by", "ada"], "we_1 is not a replay's id"],
    [webhooks, ["replays", "we_1"], "we_1 is not a replay's id"],
    [versions, ["list", "--version", "v9"], '--version: "v9" is not one of v1'],
    [versions, ["list", "--since", "then"], "--since must be a date"],
    [versions, ["list", "--since", "2026-02-30"], "--since must be a date"],
  ];
  it.each(
    misuses.map(
      ([tool, args, complaint]) => [`${tool.name} ${args.join(" ")}`, tool, args, complaint] as const,
    ),
  )("is named, with the usage: %s", async (_line, tool, args, complaint) => {
    const { code, out, error } = await run(tool, ...args);
    expect([code, out]).toEqual([2, []]);
    expect(error.join("\n")).toContain(complaint);
    expect(error.join("\n")).toContain(`\nusage: npm run ${tool.name} --`);
  });
});
