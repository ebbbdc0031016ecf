import { describe, expect, it } from "vitest";
import { capabilities, checkLayout } from "./layout.ts";
import { show } from "./source.ts";

const source = (path: string, text = "export const one = 1;") => ({ path, text });
const found = (...files: { path: string; text: string }[]) => checkLayout(files).map(show);

const handler = "class Answer {\n  @HandlesRequest(CreateOrder)\n  create() {}\n}";
const consumer = "class Take {\n  @Consumes(RailSettled)\n  take() {}\n}";
const worker = "class Run extends PollingWorker {}";

it("a capability with entrances, rules, SQL and specs is accepted", () => {
  const files = [
    source("services/ledger/main.ts"),
    source("services/ledger/ledger.module.ts"),
    source("services/ledger/accounts/create-account.handler.ts", handler),
    source("services/ledger/accounts/postable-account.ts"),
    source("services/ledger/accounts/postable-account.spec.ts"),
    source("services/ledger/accounts/accounts.db.spec.ts"),
    source("services/ledger/accounts/store/accounts.ts"),
    source("services/ledger/posting/post-commands.consumer.ts", consumer),
    source("services/ledger/audit/auditor.worker.ts", worker),
    source("services/ledger/audit/domain/replay.ts"),
    source("services/ledger/store/migrations/0001-books.sql"),
    source("services/ledger/store/guards.db.spec.ts"),
  ];
  expect(found(...files)).toEqual([]);
});

describe.each(Object.keys(capabilities).filter((service) => service !== "platform"))("in %s", (service) => {
  const [first = ""] = capabilities[service] ?? [];

  it("a file in an unknown folder is refused with the list of folders", () => {
    const [finding] = found(source(`services/${service}/misc/thing.ts`));
    expect(finding).toContain(`misc/ is no capability of ${service}. Move the file into ${first}`);
  });

  it("a file beside main.ts is refused: it belongs in a capability", () => {
    const [finding] = found(source(`services/${service}/thing.ts`));
    expect(finding).toContain("move the file into the capability that it belongs to");
  });

  it("a file too deep in a capability is refused: it belongs further up", () => {
    const [finding] = found(source(`services/${service}/${first}/parts/thing.ts`));
    expect(finding).toContain("move the file up");
  });

  it.each([
    [handler, ".handler.ts"],
    [consumer, ".consumer.ts"],
    [worker, ".worker.ts"],
  ])("an entrance without its suffix names the missing one (%#)", (text, suffix) => {
    const [finding] = found(source(`services/${service}/${first}/thing.ts`, text));
    expect(finding).toContain(`end its name in ${suffix}`);
  });

  it.each([".handler.ts", ".consumer.ts", ".worker.ts"])(
    "%s without such an entrance is refused",
    (suffix) => {
      expect(found(source(`services/${service}/${first}/thing${suffix}`))[0]).toContain("drop the suffix");
    },
  );

  it("a pure spec away from the file that it is named after is refused with its proper folder", () => {
    const files = [
      source(`services/${service}/${first}/domain/rule.ts`),
      source(`services/${service}/${first}/store/rows.ts`),
      source(`services/${service}/${first}/store/rule.spec.ts`),
    ];
    expect(found(...files)[0]).toContain(`it is named after services/${service}/${first}/domain/rule.ts`);
  });

  it("a spec with no source beside it is refused", () => {
    const files = [source(`services/${service}/${first}/domain/lonely.db.spec.ts`)];
    expect(found(...files)[0]).toContain("no source beside it");
  });

  it("a folder with thirteen sources is refused, and twelve with their specs are accepted", () => {
    const files = (count: number) =>
      Array.from({ length: count }, (_, index) => [
        source(`services/${service}/${first}/store/file-${String(index)}.ts`),
        source(`services/${service}/${first}/store/file-${String(index)}.spec.ts`),
      ]).flat();
    expect(found(...files(12))).toEqual([]);
    expect(found(...files(13))[0]).toContain("13 sources, at most 12: split it by subject");
  });
});

it("a README of a service with 31 lines is refused, and one with 30 is accepted", () => {
  const readme = (lines: number) => source("services/ledger/README.md", "A line.\n".repeat(lines));
  expect(found(readme(30))).toEqual([]);
  expect(found(readme(31))[0]).toContain("31 lines, at most 30");
});

it("a new service without a list of folders is refused", () => {
  expect(found(source("services/fees/rates/rate.ts"))[0]).toContain("fees has no folders");
});

it("a folder of the dashboard with thirteen sources is refused", () => {
  const files = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      source(`clients/dashboard/parts/page/file-${String(index)}.tsx`),
    );
  expect(found(...files(12))).toEqual([]);
  expect(found(...files(13))[0]).toContain("13 sources, at most 12: split it by subject");
});
