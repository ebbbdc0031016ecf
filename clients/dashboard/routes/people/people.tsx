import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { approveRoleProposal, denyRoleProposal } from "../../../typescript/sdk.gen.ts";
import type { Person } from "../../../typescript/types.gen.ts";
import { bodyOf } from "../../api/client/call.ts";
import { useMay } from "../../api/people/me.ts";
import { usePeople } from "../../api/people/people.ts";
import { useProposals } from "../../api/approvals/proposals.ts";
import { Failure } from "../../parts/page/failure.tsx";
import { EmptyList } from "../../parts/page/empty-list.tsx";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { PagedList } from "../../parts/page/paged-list.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { Proposals } from "../../shell/proposals.tsx";
import { peopleTexts as words } from "../../texts/people.ts";
import { CreatePerson } from "./create-person.tsx";
import { PersonSheet } from "./person-sheet.tsx";
import { PersonTable } from "./person-table.tsx";

const route = getRouteApi("/shell/people");

/** Who may do what? */
export function People() {
  const { pages = [] } = route.useSearch();
  const navigate = route.useNavigate();
  const people = usePeople(pages);
  const [opened, setOpened] = useState<Person>();
  const [isCreating, setCreating] = useState(false);
  const may = useMay("people:write");
  const inbox = useProposals();
  const proposals = inbox.data?.roleProposals?.data ?? [];
  const waiting = new Map(proposals.map(({ personId, roles }) => [personId, roles]));
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
      {inbox.data === undefined && inbox.isError && <Failure error={inbox.error} retry={inbox.refetch} />}
      <Waiting />
      <PagedList
        list={people}
        lines={8}
        empty={<EmptyList title={words.empty.title} text={words.empty.text} />}
        cursors={pages}
        turn={(next) => void navigate({ search: { pages: next } })}
      >
        {(items) => (
          <PersonTable
            people={items}
            waiting={waiting}
            // Saving replaces all roles, so it would withdraw proposed ones that are not loaded yet.
            {...(inbox.data === undefined ? {} : { open: setOpened })}
          />
        )}
      </PagedList>
      {isCreating && <CreatePerson close={() => setCreating(false)} />}
      {opened !== undefined && (
        <PersonSheet
          opened={opened}
          waiting={waiting.get(opened.id) ?? []}
          // A person has one open proposal at most.
          isComplete={inbox.data?.roleProposals?.hasMore !== true || waiting.has(opened.id)}
          close={() => setOpened(undefined)}
        />
      )}
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
      kind="role"
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
