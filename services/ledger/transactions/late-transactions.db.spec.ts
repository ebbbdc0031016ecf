import { expect, it } from "vitest";
import { paid, refused, requestBy, Tenant } from "../../../test/ledger/requests.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";
import { lockBooks } from "../posting/store/lock-books.ts";

const { units } = await openLedgerOfFile();

it("a transaction whose caller has stopped waiting for the book is not created, nor one that waits behind it", async () => {
  const tenant = new Tenant(units);
  const payroll = (await tenant.creates("Payroll")).id;
  const savings = (await tenant.creates("Savings")).id;
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holder = units.units.run(async ({ sql }) => {
    await lockBooks(sql, [tenant.book]);
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const deadline = Date.now() + 50;
  const late = { ...requestBy(tenant.id), deadline };
  const entries = paid(payroll, savings, 500);
  // The first waits for the book in its transaction; the others queue behind it.
  const inTransaction = tenant.moves(entries, {}, late).catch((error: unknown) => error);
  await new Promise((resolve) => setImmediate(resolve));
  const inQueue = tenant.moves(entries, {}, late).catch((error: unknown) => error);
  const patient = tenant.moves(entries);
  while (Date.now() <= deadline) await new Promise((resolve) => setImmediate(resolve));
  release.resolve();
  await holder;
  expect(await inTransaction).toMatchObject(refused("upstream_timeout"));
  expect(await inQueue).toMatchObject(refused("upstream_timeout"));
  expect((await patient).status).toBe("Posted");
  expect((await tenant.transactions()).data).toHaveLength(1);
});
