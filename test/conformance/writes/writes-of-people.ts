import { newId } from "../../../contracts/ids/ids.ts";
import type { Scenario } from "../refusals/scenario.ts";
import type { Make } from "./write.ts";

const people = "/v1/people";
let made = 0;

const aPerson = (change: Record<string, unknown> = {}) => {
  const principal = `colleague ${String((made += 1))}`;
  return { principal, email: `colleague-${String(made)}@acme.example`, name: "Cole", ...change };
};

async function person({ send }: Scenario): Promise<string> {
  return String((await send(people, { body: aPerson() }))["id"]);
}

/** Proposed by the maker's key, so that the admin's decides. */
async function proposal({ send }: Scenario): Promise<string> {
  await send(people, { body: aPerson({ roles: ["Approver"] }) });
  const { data } = await send(`${people}/role-proposals?limit=1`);
  return String((data as { id: string }[])[0]?.id);
}

const decision =
  (how: string): Make =>
  async (scenario) => {
    const pathOf = (id: string) => `${people}/role-proposals/${id}/${how}`;
    const missing = { path: pathOf(newId("prop")) };
    return { path: pathOf(await proposal(scenario)), as: "admin", other: missing, refused: missing };
  };

/** Changes of people, by operation id. */
export const writesOfPeople: Readonly<Record<string, Make>> = {
  createPerson: async ({ send }) => {
    const [body, taken] = [aPerson(), aPerson()];
    await send(people, { body: taken });
    const refused = { ...aPerson(), email: taken.email };
    return { path: people, body, other: { body: { ...body, name: "Coline" } }, refused: { body: refused } };
  },
  updatePerson: async (scenario) => {
    const missing = { path: `${people}/${newId("per")}` };
    const path = `${people}/${await person(scenario)}`;
    return { path, body: { name: "Coline" }, other: missing, refused: missing };
  },
  approveRoleProposal: decision("approve"),
  denyRoleProposal: decision("deny"),
};
