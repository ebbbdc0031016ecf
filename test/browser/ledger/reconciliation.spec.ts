/** Whether the bank agrees, in a browser. */
import { describe, expect, it } from "vitest";
import type { BankStatementFault, ReconciliationReport } from "../../../clients/typescript/types.gen.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Operating");

const reconcile = () => world.post<ReconciliationReport>("/v1/reconciliations", {});
const misprint = (fault: object) =>
  world.post<BankStatementFault>("/v1/simulations/bank-statement-faults", fault);

describe("reconciliation", () => {
  it("is run by the keyboard alone, and says that the bank agrees", async () => {
    const collected = await payer.collects(100_000);
    await world.comesToRest(collected.id);
    const shown = await dashboard.as("maya", "/reconciliation");
    const { page } = shown;
    await page.getByText("No runs yet").waitFor();
    await page.getByRole("button", { name: "Reconcile now" }).press("Enter");
    await page.getByText("The bank agrees with the ledger.").waitFor();
    await page.getByText("1 line matched.").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("banner").getByRole("link", { name: "Reconciliation" }).click();
    await page.getByRole("row", { name: /Reconciled \$1,000\.00 \$1,000\.00 1 \$0\.00/ }).waitFor();
    await page.getByText("The bank agrees with the ledger.").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("names the line that the bank lacks with its order, and lets the bank correct it", async () => {
    const draft = await payer.pays(3_300, { submit: false });
    await misprint({ kind: "LineMissing", orderId: draft.id });
    await world.post(`/v1/payment-orders/${draft.id}/submit`);
    await world.comesToRest(draft.id);
    await reconcile();
    const shown = await dashboard.as("maya", "/reconciliation");
    const { page } = shown;
    await page.getByText("Broken: the bank holds $33.00 more than the ledger explains.").waitFor();
    await page
      .getByRole("row", { name: /Broken \$1,000\.00 \$967\.00/ })
      .getByRole("link")
      .press("Enter");
    const row = page.getByRole("row", { name: /No bank line/ });
    await row.getByText("Settle, money out, settlement cash").last().waitFor();
    await row.getByText("$33.00").waitFor();
    expect(await row.getByRole("link", { name: draft.id }).count()).toBe(1);
    expect(await screenFaults(shown)).toEqual([]);

    await row.getByRole("button", { name: "Let the bank correct it" }).press("Enter");
    await row.getByText("The next statement corrects it.").waitFor();
    await page.getByRole("button", { name: "Reconcile now" }).press("Enter");
    await page.getByText("The bank agrees with the ledger.").waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("names a line that only the bank has, by the bank's reference", async () => {
    const { body: fault } = await misprint({ kind: "LineAdded", amountCents: 7_700, side: "Out" });
    const { body: run } = await reconcile();
    const reference = run.unmatchedBankLines[0]?.reference ?? "none";
    const shown = await dashboard.as("vera", `/reconciliation/${run.id}`);
    const { page } = shown;
    await page.getByText("Broken: the bank holds $77.00 less than the ledger explains.").waitFor();
    const row = page.getByRole("row", { name: /No ledger entry/ });
    await row.getByText(reference).waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    expect(await page.getByRole("button", { name: "Let the bank correct it" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Reconcile now" }).count()).toBe(0);
    await shown.close();

    await world.post(`/v1/simulations/bank-statement-faults/${fault.id}/correct`);
    expect((await reconcile()).body.status).toBe("Reconciled");
  });

  it("keeps the filters in the address, and says where nothing fits them", async () => {
    const shown = await dashboard.as("vera", "/reconciliation?status=Broken");
    const { page } = shown;
    await page
      .getByRole("row", { name: /Broken/ })
      .first()
      .waitFor();
    expect(await page.getByRole("row", { name: /Reconciled/ }).count()).toBe(0);
    const asked: (string | null)[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === "/v1/reconciliations" && searchParams.has("date"))
        asked.push(searchParams.get("date"));
    });
    // A year that is being typed digit by digit begins so.
    await page.getByLabel("Banking day").fill("0020-01-02");
    await page.getByLabel("Banking day").fill("2020-01-02");
    await page.getByText("No such run").waitFor();
    expect(new URL(page.url()).searchParams.get("date")).toBe("2020-01-02");
    expect(new Set(asked)).toEqual(new Set(["2020-01-02"]));
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Clear" }).click();
    await page
      .getByRole("row", { name: /Reconciled/ })
      .first()
      .waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("explains a statement that the ledger refuses", async () => {
    const { body: fault } = await misprint({ kind: "WrongHash" });
    const shown = await dashboard.as("maya", "/reconciliation");
    const { page } = shown;
    await page.getByRole("button", { name: "Reconcile now" }).press("Enter");
    await page.getByRole("alert").getByText(/^req_/).waitFor();
    expect(await screenFaults(shown, [503])).toEqual([]);
    await shown.close();
    await world.post(`/v1/simulations/bank-statement-faults/${fault.id}/correct`);
  });

  it("is one page for a wrong id and for a run of another book", async () => {
    const shown = await dashboard.as("vera", "/reconciliation/rec_01m80104nre2btytj23x2xz26p");
    await shown.page.getByText("There is no such page").waitFor();
    expect(await screenFaults(shown, [404])).toEqual([]);
    await shown.close();
  });
});
