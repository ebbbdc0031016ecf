import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openAccount } from "../../scripts/local/demo/first-payment.ts";
import { forThisFile } from "../stack/for-this-file.ts";
import { seedOtherTenant } from "../world/system/operator.ts";
import { World } from "../world/world.ts";
import { folderWithJq } from "./jq.ts";
import { folderWithNpm } from "./npm.ts";
import { blocksOf, type Guide, runGuides } from "./run-guide.ts";

const root = join(import.meta.dirname, "../..");
const folder = join(root, "docs/guides");
const first = "quick-start.md";
const read = async (page: string): Promise<Guide> => ({
  page,
  markdown: await readFile(join(folder, page), "utf8"),
});

const world = await forThisFile(World.join());
const scratch = await mkdtemp(join(tmpdir(), "guides-"));
const jq = await folderWithJq(join(root, ".local"));
const npm = await folderWithNpm(scratch, root);
const path = [
  npm,
  join(root, "node_modules/.bin"),
  ...(jq === undefined ? [] : [jq]),
  process.env["PATH"],
].join(":");
afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
});

/** A reader's clone, with a sandbox file of a tenant of its own, whose account Operating `make start` has opened. */
async function shellFor(name: string) {
  const { keys } = await seedOtherTenant(world, name);
  await openAccount(world.baseUrl(), keys.maker, "Operating");
  const cwd = join(scratch, name);
  await mkdir(join(cwd, ".local"), { recursive: true });
  await cp(join(root, "clients/backend"), join(cwd, "clients/backend"), { recursive: true });
  await writeFile(
    join(cwd, ".local/sandbox.json"),
    JSON.stringify({ baseUrl: world.baseUrl(), keys }, undefined, 2),
  );
  return { cwd, env: { PATH: path, HOME: cwd } };
}

describe("the guides", () => {
  const pages = [
    first,
    "pay.md",
    "approve.md",
    "receive-webhooks.md",
    "take-money-in.md",
    "obligations.md",
    "reconcile.md",
    "test-failures.md",
    "correct-details.md",
    "move-through-time.md",
    "versions.md",
    "keys.md",
  ];

  it("are all tested here", async () => {
    expect((await readdir(folder)).toSorted()).toEqual(pages.toSorted());
  });

  it("name the Node that the generator of clients needs", async () => {
    const generator = join(root, "node_modules/@hey-api/openapi-ts/package.json");
    const { engines } = JSON.parse(await readFile(generator, "utf8")) as { engines: { node: string } };
    expect(engines.node).toBe(">=22.18.0");
    expect((await read("versions.md")).markdown).toContain("needs Node 22.18 or newer");
  });

  it.each(pages)("work as they are written: %s", async (page) => {
    const guides = await Promise.all((page === first ? [first] : [first, page]).map(read));
    for (const { markdown } of guides) expect(blocksOf(markdown)).not.toEqual([]);
    const output = await runGuides(guides, await shellFor(page));
    // The last line of the quick start.
    expect(output).toContain('"status": "Completed"');
  });
});

describe("a guide that does not work", () => {
  const broken = (code: string): Guide => ({
    page: "broken.md",
    markdown: `\`\`\`sh\ntrue\n\`\`\`\n\`\`\`sh\n${code}\n\`\`\`\n`,
  });
  const cases = [
    ["a command that fails", "false", "broken.md, block 2: false"],
    ["a variable that no block has set", "echo $NOWHERE", "NOWHERE: unbound variable"],
    [
      "a package in another version than ours",
      "npm install typescript@7.0.2",
      "typescript@7.0.2 is not the version of package.json",
    ],
    ["an answer without the field", "echo '{}' | jq -e .id", "broken.md, block 2: jq -e .id"],
  ] as const;

  it.each(cases)("fails at %s", async (what, code, message) => {
    await expect(runGuides([broken(code)], await shellFor(what))).rejects.toThrow(message);
  });

  it("fails at a request that the API refuses, and shows the answer", async () => {
    const code = `API=$(jq -r .baseUrl .local/sandbox.json)\ncurl -s $API/v1/payment-orders -H 'X-API-Key: qt_test_wrong'`;
    const failure = runGuides([broken(code)], await shellFor("refused"));
    await expect(failure).rejects.toThrow("broken.md, block 2: curl -s $API/v1/payment-orders");
    await expect(failure).rejects.toThrow("api_key_invalid");
  });
});
