import { describe, expect, it } from "vitest";
import { books } from "../books.ts";
import { runCommandLine } from "../command-line/command-line.ts";

const id = "po_01jd3k5s8ye9v8z2r0q3m7n4xa";
const uuid = "01934732-e51e-7276-8f8b-00b8e87a93aa";

async function prints(...args: string[]): Promise<{ code: number; out: string[]; error: string }> {
  const [out, errors]: [string[], string[]] = [[], []];
  const streams = { out: (line: string) => out.push(line), error: (line: string) => errors.push(line) };
  const code = await runCommandLine(books, ["id", ...args], streams);
  return { code, out, error: errors.join("\n").split("\n")[0] ?? "" };
}

describe("npm run books -- id", () => {
  it("prints the uuid of an id, and the id of a uuid, on the same line", async () => {
    expect(await prints(id)).toEqual({ code: 0, out: [`${id}  ${uuid}`], error: "" });
    expect(await prints(uuid.toUpperCase(), "po")).toEqual({ code: 0, out: [`${id}  ${uuid}`], error: "" });
    expect((await prints(id, "--json")).out).toEqual([JSON.stringify({ id, uuid })]);
  });

  it("prints a uuid without a prefix as an id of every kind", async () => {
    const { code, out } = await prints(uuid);
    expect(code).toBe(0);
    expect(out).toContain(`${id}  ${uuid}`);
    expect(out).toContain(`book_01jd3k5s8ye9v8z2r0q3m7n4xa  ${uuid}`);
  });

  it.each([
    ["acme", [], "acme is neither an id, such as book_…, nor a uuid"],
    ["po_1", [], "po_1 is neither an id, such as book_…, nor a uuid"],
    [uuid, ["order"], "order is no prefix of an id: it is one of po, la, "],
    [id, ["po"], `${id} has its prefix: name one for a uuid only`],
  ])("refuses %s %j", async (text, more, complaint) => {
    const { code, out, error } = await prints(text, ...more);
    expect([code, out]).toEqual([2, []]);
    expect(error).toContain(complaint);
  });
});
