import { useState } from "react";
import type { Person, PersonPatch, Role } from "../../../typescript/types.gen.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { useMe } from "../../api/people/me.ts";
import { useChangePerson } from "../../api/people/people.ts";
import { mode } from "../../book.ts";
import { Details } from "../../parts/page/card.tsx";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { Moment } from "../../parts/values/moment.tsx";
import { Sheet } from "../../parts/page/sheet.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { ConfirmFailure } from "../../shell/confirm-failure.tsx";
import { peopleTexts } from "../../texts/people.ts";
import { otherMode, PersonState, Roles } from "./person-table.tsx";
import { RoleChoices } from "./role-choices.tsx";

const { details: words, suspend: suspendWords, form } = peopleTexts;

interface PersonSheetProps {
  readonly opened: Person;
  /** Roles in this book that wait for approval. */
  readonly waiting: readonly Role[];
  readonly close: () => void;
}

/**
 * One person: roles in this book, and whether they can sign in. What is saved is complete, so the choices begin with
 * the roles that wait, too: one that is not ticked is withdrawn.
 */
export function PersonSheet({ opened, waiting, close }: PersonSheetProps) {
  const [person, setPerson] = useState(opened);
  const isOwn = useMe().data?.person?.id === person.id;
  // Nobody gives a role to themselves.
  const [known, setKnown] = useState<readonly Role[]>([...opened.roles[mode], ...(isOwn ? [] : waiting)]);
  const [roles, setRoles] = useState<readonly Role[]>(known);
  const [isSuspending, setSuspending] = useState(false);
  const [said, setSaid] = useState<string>();
  const isAway = useAwaySince() !== null;
  const name = visible(person.name);
  const change = useChangePerson(person.id, (changed, patch) => {
    setPerson(changed);
    const now = patch.status === "Suspended" ? [] : (patch.roles ?? known);
    setKnown(now);
    setRoles(now);
    setSuspending(false);
    setSaid(outcomeOf(changed, patch));
  });
  const send = (patch: PersonPatch) => {
    setSaid(undefined);
    change.mutate(patch);
  };
  // Else a retry after adding a passkey would send the roles that were ticked before.
  const forgetRefusal = () => {
    if (change.isError) change.reset();
  };
  const choose = (chosen: readonly Role[]) => {
    forgetRefusal();
    setRoles(chosen);
  };
  const isHeld = change.isPending || isAway;
  const isChanged = [...roles].sort().join() !== [...known].sort().join();
  return (
    <Sheet title={isSuspending ? suspendWords.title(name) : name} close={close}>
      {isSuspending ? (
        <p>{suspendWords.text}</p>
      ) : (
        <PersonParts person={person} roles={roles} setRoles={choose} isOwn={isOwn} />
      )}
      <output>{said !== undefined && <p className="banner ok">{said}</p>}</output>
      <ConfirmFailure
        error={change.error}
        retry={() => change.variables !== undefined && change.mutate(change.variables)}
      />
      {isSuspending ? (
        <SuspendActions
          id={person.id}
          isHeld={isHeld}
          isAsking={change.isPending}
          suspend={() => send({ status: "Suspended" })}
          back={() => {
            forgetRefusal();
            setSuspending(false);
          }}
        />
      ) : (
        <div className="actions">
          {person.status === "Active" ? (
            <>
              <button
                type="button"
                className="primary"
                disabled={!isChanged || isHeld}
                onClick={() => send({ roles: [...roles] })}
              >
                {change.isPending ? form.asking : words.save}
              </button>
              {!isOwn && (
                <button type="button" className="bad" onClick={() => setSuspending(true)}>
                  {suspendWords.open}
                </button>
              )}
            </>
          ) : (
            <button type="button" disabled={isHeld} onClick={() => send({ status: "Active" })}>
              {change.isPending ? form.asking : suspendWords.resume}
            </button>
          )}
          {isChanged && <CopyCurl request={requestOf(person.id, { roles: [...roles] })} />}
          <button type="button" className="push" onClick={close}>
            {words.close}
          </button>
        </div>
      )}
    </Sheet>
  );
}

interface SuspendActionsProps {
  readonly id: string;
  readonly isHeld: boolean;
  readonly isAsking: boolean;
  readonly suspend: () => void;
  readonly back: () => void;
}

function SuspendActions({ id, isHeld, isAsking, suspend, back }: SuspendActionsProps) {
  return (
    <div className="actions">
      <button type="button" className="bad" disabled={isHeld} onClick={suspend}>
        {isAsking ? form.asking : suspendWords.submit}
      </button>
      <button type="button" disabled={isAsking} onClick={back}>
        {suspendWords.back}
      </button>
      <CopyCurl request={requestOf(id, { status: "Suspended" })} />
    </div>
  );
}

function requestOf(id: string, body: PersonPatch) {
  return { method: "PATCH" as const, path: `/v1/people/${id}`, body };
}

interface PersonPartsProps {
  readonly person: Person;
  readonly roles: readonly Role[];
  readonly setRoles: (roles: readonly Role[]) => void;
  readonly isOwn: boolean;
}

function PersonParts({ person, roles, setRoles, isOwn }: PersonPartsProps) {
  return (
    <>
      <PersonDetails person={person} />
      {person.status === "Active" && (
        <>
          <RoleChoices chosen={roles} change={setRoles} {...(isOwn ? { among: person.roles[mode] } : {})} />
          <p className="dim">{isOwn ? words.own : `${form.note[mode]} ${words.ends}`}</p>
        </>
      )}
    </>
  );
}

/** What the change came to: the roles that the person did not get wait for another admin. */
function outcomeOf(person: Person, { status, roles = [] }: PersonPatch): string {
  if (status === "Suspended") return suspendWords.done;
  if (status === "Active") return suspendWords.resumed;
  const waiting = roles.filter((role) => !person.roles[mode].includes(role));
  return waiting.length === 0 ? words.saved : words.waits(waiting.join(", "));
}

function PersonDetails({ person }: { person: Person }) {
  return (
    <Details
      rows={[
        [words.email, visible(person.email)],
        [words.principal, visible(person.principal)],
        [words.status, <PersonState key="status" status={person.status} />],
        [words.otherBook[mode], <Roles key="other" roles={person.roles[otherMode]} />],
        [
          words.made,
          <span key="made">
            <Moment at={person.createdAt} /> {words.by(visible(person.createdBy))}
          </span>,
        ],
      ]}
    />
  );
}
