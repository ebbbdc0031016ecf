import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { approveRoleProposal, denyRoleProposal } from "../../typescript/sdk.gen.ts";
import type { Person } from "../../typescript/types.gen.ts";
import { bodyOf } from "../api/call.ts";
import { useMay } from "../api/me.ts";
import { usePeople } from "../api/people.ts";
import { useProposals } from "../api/proposals.ts";
import { Failure, Loading } from "../parts/failure.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Pages } from "../parts/pages.tsx";
import { visible } from "../parts/visible-text.ts";
import { Proposals } from "../shell/proposals.tsx";
import { texts } from "../texts/texts.ts";
import { CreatePerson } from "./people/create-person.tsx";
import { PersonSheet } from "./people/person-sheet.tsx";
import { PersonTable } from "./people/person-table.tsx";

const { people: words } = texts;
const route = getRouteApi("/shell/people");

/** Who may do what? */
export function People() {
  const { pages = [] } = route.useSearch();
  const navigate = route.useNavigate();
  const people = usePeople(pages);
  const [opened, setOpened] = useState<Person>();
  const [isCreating, setCreating] = useState(false);
  const may = useMay("people:write");
  return (
    <div className="body">
      <PageTitle text={words.title} />
      {may && (
        <div className="bar">
          <button type="button" className="primary push" onClick={() => setCreating(true)}>
            <Plus aria-hidden /> {words.create}
          </button>
        </div>
      )}
      <Waiting />
      {people.isError && people.data === undefined && <Failure error={people.error} retry={people.refetch} />}
      {people.isPending && <Loading lines={8} />}
      {people.data !== undefined && (
        <>
          {people.data.data.length === 0 ? (
            <div className="card empty">
              <b>{words.empty.title}</b>
              <p>{words.empty.text}</p>
            </div>
          ) : (
            <PersonTable people={people.data.data} open={setOpened} />
          )}
          <Pages
            before={pages}
            next={people.data.nextCursor}
            turn={(next) => void navigate({ search: { pages: next } })}
          />
        </>
      )}
      {isCreating && <CreatePerson close={() => setCreating(false)} />}
      {opened !== undefined && <PersonSheet opened={opened} close={() => setOpened(undefined)} />}
    </div>
  );
}

function Waiting() {
  const { data } = useProposals();
  const proposals = (data?.roleProposals?.data ?? []).map(
    ({ id, principal, roles, proposedBy, proposedAt, mine }) => ({
      id,
      title: words.proposal(visible(principal), roles.join(", ")),
      text: roles.map((role) => words.roles[role]).join(" · "),
      proposedBy,
      proposedAt,
      mine,
    }),
  );
  return (
    <Proposals
      title={words.proposals}
      proposals={proposals}
      count={data?.roleProposals?.count ?? 0}
      approve={{
        operation: "approveRoleProposal",
        send: (path, headers) => bodyOf(approveRoleProposal({ path, headers })),
      }}
      deny={{
        operation: "denyRoleProposal",
        send: (path, headers) => bodyOf(denyRoleProposal({ path, headers })),
      }}
    />
  );
}
