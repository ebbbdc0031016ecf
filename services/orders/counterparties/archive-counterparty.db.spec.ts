import { describe, expect, it } from "vitest";
import type { Counterparty } from "../../../contracts/http/payments/counterparties.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import {
  ArchiveCounterparty,
  ListCounterparties,
  PreviewOrder,
  RestoreCounterparty,
  SubmitOrder,
  UpdateOrder,
} from "../../../contracts/messages/orders.ts";
import { account, CounterpartiesOnTest } from "../../../test/stack/orders/counterparties.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { expectRefusal, refused } from "../../../test/stack/refusals.ts";

const orders = new OrdersOnTest();
const counterparties = new CounterpartiesOnTest(orders);

interface By {
  readonly key?: string;
  readonly ifMatch?: number[];
}
const archive = async (id: string, { ifMatch, ...by }: By = {}): Promise<Counterparty> =>
  (await orders.request(ArchiveCounterparty, { id, ifMatch }, by)).value;
const restore = async (id: string, { ifMatch, ...by }: By = {}): Promise<Counterparty> =>
  (await orders.request(RestoreCounterparty, { id, ifMatch }, by)).value;
const naming = (counterpartyId: string) => ({
  counterpartyId,
  counterpartyName: undefined,
  counterpartyAccountNumber: undefined,
  counterpartyRoutingNumber: undefined,
});
const archivedRefusal = "counterparty_archived /counterpartyId";

describe("an archived counterparty", () => {
  it("keeps its details and its verification, and has them again when it is restored", async () => {
    const before = await counterparties.verified();
    const archived = await archive(before.id);
    expect(archived).toEqual({
      ...before,
      archivedAt: expect.any(String),
      archivedBy: "maker",
      version: before.version + 1,
      updatedAt: archived.archivedAt,
    });
    expect(await counterparties.read(before.id)).toEqual(archived);
    const restored = await restore(before.id);
    expect(restored).toEqual({ ...before, version: before.version + 2, updatedAt: restored.updatedAt });
    expect((await orders.create(naming(before.id))).status).toBe("Submitted");
  });

  it("is in lists with archived=true only", async () => {
    const names = [newId("cp"), newId("cp")];
    const [live, gone] = await Promise.all(names.map((name) => counterparties.create({ name })));
    await archive(gone!.id);
    const found = async (query: { archived?: boolean }) =>
      (await orders.request(ListCounterparties, { name: names, ...query })).value.data.map(({ id }) => id);
    expect(await found({})).toEqual([live!.id]);
    expect(await found({ archived: false })).toEqual([live!.id]);
    expect(await found({ archived: true })).toEqual([gone!.id]);
    await restore(gone!.id);
    expect(await found({ archived: true })).toEqual([]);
  });

  it("can't be named by a new order, a Draft or a preview, and nothing is written", async () => {
    const { id } = await counterparties.verified();
    await archive(id);
    const before = await orders.sql("select 1 from payment_order");
    expect(await refused(orders.create(naming(id)))).toBe(archivedRefusal);
    expect(await refused(orders.create({ ...naming(id), submit: false }))).toBe(archivedRefusal);
    const { submit: _submit, ...preview } = orders.body(naming(id));
    expect(await refused(orders.request(PreviewOrder, preview))).toBe(archivedRefusal);
    const draft = await orders.create({ submit: false });
    const named = orders.request(UpdateOrder, {
      id: draft.id,
      counterpartyId: id,
    });
    expect(await refused(named)).toBe(archivedRefusal);
    expect(await orders.sql("select 1 from payment_order")).toHaveLength(before.length + 1);
  });

  it("refuses the submission of a Draft that names it; the Draft stays, can change, and can be submitted once it is restored", async () => {
    const { id } = await counterparties.verified();
    const draft = await orders.create({ ...naming(id), submit: false });
    await archive(id);
    const submit = () => orders.request(SubmitOrder, { id: draft.id });
    await expectRefusal(submit(), "counterparty_archived", { context: { resourceId: id } });
    expect(await orders.read(draft.id)).toEqual(draft);
    const { value: changed } = await orders.request(UpdateOrder, { id: draft.id, amountCents: 777 });
    expect(changed).toMatchObject({ status: "Draft", amountCents: 777, counterpartyId: id });
    await restore(id);
    expect((await submit()).value).toMatchObject({ status: "Submitted", amountCents: 777 });
  });

  it("does not stop orders under way: they are approved, and go to their rail", async () => {
    const { id } = await counterparties.verified({ accounts: [account("12345", { rail: "Wire" })] });
    const order = await orders.createdTo("AwaitingApproval", { rail: "Wire", ...naming(id) });
    await archive(id);
    await orders.approve(order, "first");
    expect((await orders.approve(order, "second")).value.status).toBe("Processing");
  });

  it("stays as it is when it is archived again, and so does one that is not archived when it is restored", async () => {
    const made = await counterparties.create();
    expect(await restore(made.id)).toEqual(made);
    const archived = await archive(made.id);
    expect(await archive(made.id)).toEqual(archived);
  });

  it("is archived once under a key, at the version that was read, and in its own book", async () => {
    const { id, version } = await counterparties.create();
    await expectRefusal(archive(id, { ifMatch: [version + 1] }), "precondition_failed");
    const archived = await archive(id, { ifMatch: [version], key: `archive ${id}` });
    await restore(id);
    expect(await archive(id, { ifMatch: [version], key: `archive ${id}` })).toEqual(archived);
    expect((await counterparties.read(id)).archivedAt).toBeNull();
    const caller = orders.stranger();
    await expectRefusal(orders.request(ArchiveCounterparty, { id }, { caller }), "not_found");
    await expectRefusal(orders.request(RestoreCounterparty, { id }, { caller }), "not_found");
  });

  it("keeps its externalId", async () => {
    const externalId = newId("cp");
    const { id } = await counterparties.create({ externalId });
    await archive(id);
    await expectRefusal(counterparties.create({ externalId }), "external_id_in_use", {
      message:
        "Another counterparty has this externalId. The list shows it if you filter by externalId, an archived one only with archived=true. Choose another externalId, or none.",
    });
  });
});
