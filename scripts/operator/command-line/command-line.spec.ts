import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newUuid } from "../../../contracts/ids/ids.ts";
import { books } from "../books.ts";
import { runCommandLine } from "./command-line.ts";
import { dlq } from "../dlq.ts";
import { encryption } from "../encryption.ts";
import { orders } from "../orders.ts";
import { proveTool } from "../prove.ts";
import { republishTool } from "../republish.ts";
import { tenants } from "../tenants.ts";
import { streamsTool } from "../streams.ts";
import type { Tool } from "./tool.ts";
import { versions } from "../versions.ts";
import { webhooks } from "../webhooks.ts";

const root = join(import.meta.dirname, "../../..");
const all: readonly Tool[] = [
  books,
  dlq,
  encryption,
  orders,
  proveTool,
  republishTool,
  streamsTool,
  tenants,
  versions,
  webhooks,
];

const aMinuteAgo = new Date(Date.now() - 60_000).toISOString();

/** Every command that changes something, with arguments that are right but for `--by`. */
const changing: Readonly<Record<string, readonly string[]>> = {
  "books freeze": ["book_01jd3k5s8ye9v8z2r0q3m7n4xa", "--reason", "looks wrong"],
  "books unfreeze": ["book_01jd3k5s8ye9v8z2r0q3m7n4xa", "--reason", "restored"],
  "books retry": ["book_01jd3k5s8ye9v8z2r0q3m7n4xa", "4", "--reason", "cause removed"],
  "books quarantine": ["book_01jd3k5s8ye9v8z2r0q3m7n4xa", "4", "--reason", "forged"],
  "books drop": ["book_01jd3k5s8ye9v8z2r0q3m7n4xa", "4", "--reason", "forged"],
  "books release": ["book_01jd3k5s8ye9v8z2r0q3m7n4xa", "ledger", "--reason", "mended"],
  "books leave-out": `book_01jd3k5s8ye9v8z2r0q3m7n4xa ledger ${newUuid()} --reason forged`.split(" "),
  "dlq redrive": ["1"],
  "dlq drop": ["1"],
  "encryption rotate": [],
  "orders decide": [newUuid(), "--reason", "returned"],
  "orders resolve": ["po_01jd3k5s8ye9v8z2r0q3m7n4xa", "--as", "settled", "--evidence", "bank's portal"],
  republish: ["--since", aMinuteAgo],
  "streams provision": ["--replicas", "3"],
  "tenants create": ["Northwind"],
  "tenants suspend": ["Northwind"],
  "tenants reactivate": ["Northwind"],
  "tenants set": ["Northwind", "--mode", "Test", "--completes-after-banking-days", "3"],
  "tenants create-key": ["--tenant", "Northwind", "--mode", "Test", "--principal", "ana", "--scopes", "all"],
  "tenants invite": "--tenant Northwind --principal ana --email ana@northwind.example".split(" "),
  "tenants recover": ["ana@northwind.example"],
  "tenants revoke-key": ["key_01jd3k5s8ye9v8z2r0q3m7n4xa"],
  "webhooks replay": "--tenant Northwind --mode Test --since 2027-01-30 --until 2027-01-31".split(" "),
  "webhooks cancel-replay": ["rpl_01jd3k5s8ye9v8z2r0q3m7n4xa"],
};
const reading = [
  "books aside",
  "books id",
  "books list",
  "books suspense",
  "dlq list",
  "dlq show",
  "encryption status",
  "orders parked",
  "orders show",
  "orders stuck",
  "prove",
  "tenants list",
  "tenants keys",
  "tenants people",
  "versions list",
  "webhooks dead",
  "webhooks endpoints",
  "webhooks replays",
];
/** Always, or with one of its options: `streams provision` alone makes what the contracts say. */
const mayChange = ({ changes, options = {} }: Tool["commands"][string]) =>
  changes === true || Object.values(options).some((option) => option.changes === true);
const nameOf = (tool: Tool, command: string) => `${tool.name} ${command}`.trim();
const commands = all.flatMap((tool) =>
  Object.entries(tool.commands).map(([command, its]) => [nameOf(tool, command), tool, command, its] as const),
);

async function run(tool: Tool, ...args: string[]): Promise<{ code: number; out: string[]; error: string[] }> {
  const [out, error]: [string[], string[]] = [[], []];
  const streams = { out: (line: string) => out.push(line), error: (line: string) => error.push(line) };
  return { code: await runCommandLine(tool, args, streams), out, error };
}
const named = (command: string) => (command === "" ? [] : [command]);

describe("the operators' tools", () => {
  it("are all scripts of package.json, and all listed here, as changing something or not", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const inPackage = Object.entries(scripts).filter(([, line]) => line.includes("scripts/operator/"));
    expect(Object.fromEntries(inPackage)).toEqual(
      Object.fromEntries(all.map(({ name }) => [name, `node scripts/operator/${name}.ts`])),
    );
    const changes = commands.filter(([, , , its]) => mayChange(its)).map(([name]) => name);
    expect(changes.toSorted()).toEqual(Object.keys(changing).toSorted());
    const reads = commands.filter(([, , , its]) => !mayChange(its)).map(([name]) => name);
    expect(reads.toSorted()).toEqual(reading.toSorted());
  });

  it.each(all.map((tool) => [tool.name, tool] as const))("%s --help prints its usage", async (name, tool) => {
    for (const help of ["--help", "-h", "help"]) {
      const { code, out, error } = await run(tool, help);
      expect([code, error]).toEqual([0, []]);
      expect(out.join("\n")).toMatch(new RegExp(`^usage: npm run ${name} -- `));
    }
  });

  it("run as processes, and pass their exit code on", async () => {
    const exitOf = (name: string, arg: string) =>
      new Promise<[string, number, string]>((resolve) => {
        execFile(
          process.execPath,
          [join(root, `scripts/operator/${name}.ts`), arg],
          (error, out, complaint) =>
            resolve([name, typeof error?.code === "number" ? error.code : 0, out + complaint]),
        );
      });
    expect(await exitOf("books", "--help")).toEqual(["books", 0, expect.stringMatching(/^usage: /)]);
    for (const { name } of all) {
      const complaint = expect.stringMatching(
        /^(unknown command|a command is missing|Unknown option).*\nusage: /,
      );
      expect(await exitOf(name, "--nonsense")).toEqual([name, 2, complaint]);
    }
  });

  it("run to their end, quietly, when nobody reads their output any more", async () => {
    const program = `
      import { runTool } from "./scripts/operator/command-line/command-line.ts";
      await runTool({ name: "books", commands: { "": { about: "go", run: async (given) => {
        for (let line = 1; line <= 3; line += 1) {
          given.print({}, "line " + line);
          await new Promise(setImmediate);
        }
        process.stderr.write("done");
      } } } });`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program], { cwd: root });
    child.stdout.destroy();
    let printed = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (printed += text));
    const [code] = await once(child, "close");
    expect([code, printed]).toEqual([0, "done"]);
  });
});

describe.each(commands)("npm run %s", (name, tool, command, its) => {
  it("--help prints its own usage, without doing anything", async () => {
    const { code, out, error } = await run(tool, ...named(command), ...(changing[name] ?? []), "--help");
    expect([code, error]).toEqual([0, []]);
    const [usage = ""] = out.join("\n").split("\n");
    expect(usage).toContain(`usage: npm run ${tool.name} --${command === "" ? "" : ` ${command}`}`);
    for (const expected of [...(its.takes ?? []), ...Object.keys(its.options ?? {}), "--json"])
      expect(usage).toContain(expected);
    expect(usage.includes("--by")).toBe(name in changing);
  });

  it("names an option that it does not know, and exits with 2", async () => {
    const { code, out, error } = await run(tool, ...named(command), "--colour", "red");
    expect([code, out]).toEqual([2, []]);
    expect(error.join("\n")).toMatch(/^Unknown option '--colour'\nusage: /);
  });

  it("names an argument too many, and exits with 2", async () => {
    const needed = (its.takes ?? []).map(() => "1");
    const args = [...(changing[name] ?? needed), "surplus"];
    const by = mayChange(its) ? ["--by", "ada"] : [];
    const { code, error } = await run(tool, ...named(command), ...args, ...by);
    expect([code, error[0]?.split("\n")[0]]).toEqual([2, "unexpected: surplus"]);
  });

  it("says misuse as JSON with --json", async () => {
    const { code, out, error } = await run(tool, ...named(command), "--json", "--colour");
    expect([code, out]).toEqual([2, []]);
    expect(JSON.parse(error.join("\n"))).toEqual({ error: "Unknown option '--colour'" });
  });
});

describe.each(Object.entries(changing))("npm run %s", (name, args) => {
  const [toolName = "", ...command] = name.split(" ");
  const tool = all.find((each) => each.name === toolName) ?? books;

  it("needs the name of who runs it", async () => {
    const { code, error } = await run(tool, ...command, ...args);
    expect([code, error[0]?.split("\n")[0]]).toEqual([2, "missing: --by"]);
    for (const wrong of ["two words", "Ada"]) {
      const unnamed = await run(tool, ...command, ...args, "--by", wrong);
      expect([unnamed.code, unnamed.error[0]?.split("\n")[0]]).toEqual([
        2,
        "--by: a name in lower case, without spaces, such as ada.lovelace",
      ]);
    }
  });
});

/** A tool whose command does what the test wants. */
function toolThat(doing: Tool["commands"][string]["run"], changes?: true): Tool {
  return {
    name: "books",
    commands: { go: { about: "go", takes: ["[way]"], ...(changes && { changes }), run: doing } },
  };
}

describe("a command", () => {
  it("prints lines for a person, or records with --json", async () => {
    const tool = toolThat(async (given) => {
      given.note("two are here");
      given.print({ id: 1 }, "one", "  of two");
      given.print({ id: 2 }, "two");
    });
    expect((await run(tool, "go")).out).toEqual(["two are here", "one", "  of two", "two"]);
    expect((await run(tool, "go", "--json")).out).toEqual(['{"id":1}', '{"id":2}']);
  });

  it("shows control characters of others' text instead of sending them to the terminal", async () => {
    const tool = toolThat(async (given) => given.print({}, "a\u001b[2Jb\u202ec"));
    expect((await run(tool, "go")).out).toEqual(["a\\u{1b}[2Jb\\u{202e}c"]);
    const failing = toolThat(async () => {
      throw new Error("\u001b[31mno");
    });
    expect((await run(failing, "go")).error).toEqual(["\\u{1b}[31mno"]);
    const changing = toolThat(async () => undefined, true);
    const { error } = await run(changing, "go", "a\u009b31m\u202eb", "--by", "ada");
    expect(error.join()).toContain(String.raw`"arguments":["a\u009b31m\u202eb"]`);
  });

  it("exits with 1 and its error if it fails, without the usage", async () => {
    const tool = toolThat(async () => {
      throw new Error("no answer from the ledger");
    });
    expect(await run(tool, "go")).toEqual({ code: 1, out: [], error: ["no answer from the ledger"] });
    const { error } = await run(tool, "go", "--json");
    expect(error).toEqual(['{"error":"no answer from the ledger"}']);
  });

  it("exits with 1 if it ran to its end and found something wrong", async () => {
    const tool = toolThat(async (given) => {
      given.hasFailed = true;
    });
    expect((await run(tool, "go")).code).toBe(1);
  });

  it("that changes something writes who runs it to the log, before it runs", async () => {
    const tool = toolThat(async (given) => given.print({}, `by ${given.by}`), true);
    const { code, out, error } = await run(tool, "go", "north", "--by", "ada");
    expect([code, out, error.length]).toEqual([0, ["by ada"], 1]);
    expect(JSON.parse(error[0] ?? "")).toMatchObject({
      level: "info",
      service: "operator",
      by: "ada",
      command: "books go",
      arguments: ["north"],
    });
    const refused = await run(tool, "go", "north");
    expect([refused.code, refused.error[0]?.includes('"service"')]).toEqual([2, false]);
  });

  it("leaves evidence out of the log: it may contain an account number", async () => {
    const options = { evidence: { value: "<what>" }, as: { value: "<outcome>" } };
    const go = { about: "go", options, changes: true, run: () => Promise.resolve() } as const;
    const args = ["go", "--evidence", "paid to 000123456789", "--as", "settled", "--by", "ada"];
    const { error } = await run({ name: "books", commands: { go } }, ...args);
    expect(JSON.parse(error[0] ?? "")).toMatchObject({ by: "ada", options: { as: "settled" } });
    expect(error.join()).not.toContain("000123456789");
  });
});
