import { useState } from "react";
import type { Person, PersonPatch, Role } from "../../../typescript/types.gen.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { useMe } from "../../api/people/me.ts";
import { ifMatchOf, type PersonChange, useChangePerson, usePerson } from "../../api/people/people.ts";
import { mode } from "../../book.ts";
import { Details } from "../../parts/page/card.tsx";
import { Changed } from "../../parts/page/changed.tsx";
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
  /** False if more may wait than is known. */
  readonly isComplete: boolean;
  readonly close: () => void;
}

/**
 * One person: roles in this book, and whether they can sign in. What is saved is complete, so the choices begin with
 * the roles that wait, too: one that is not ticked is withdrawn. Nothing is saved over what another admin has changed.
 */
export function PersonSheet({ opened, waiting, isComplete, close }: PersonSheetProps) {
  const person = usePerson(opened);
  const isOwn = useMe().data?.person?.id === person.id;
  // Nobody gives a role to themselves.
  const now = [...person.roles[mode], ...(isOwn ? [] : waiting)];
  const { roles, setRoles, begin, isChanged, version, ...choice } = useRoleChoice(now, person.version);
  const [isSuspending, setSuspending] = useState(false);
  const [said, setSaid] = useState<string>();
  const isAway = useAwaySince() !== null;
  const name = visible(person.name);
  const change = useChangePerson(person.id, (changed, patch) => {
    begin(patch.roles ?? changed.roles[mode], changed.version);
    setSuspending(false);
    setSaid(outcomeOf(changed, patch));
  });
  // Until it has been read again, what waits is what waited before the save.
  const changes = change.isPending ? [] : choice.changes;
  const canSave = isChanged && isComplete && changes.length === 0;
  const send = (patch: PersonPatch) => {
    setSaid(undefined);
    change.mutate({ patch, version: versionFor(patch, version) });
  };
  const retry = () => {
    const tried = change.variables;
    if (tried !== undefined && (tried.patch.roles === undefined || canSave)) send(tried.patch);
  };
  // Else a retry after adding a passkey would send the roles that were ticked before.
  const forgetRefusal = () => {
    if (change.isError) change.reset();
  };
  const choose = (chosen: readonly Role[]) => {
    forgetRefusal();
    setRoles(chosen);
  };
  const showNow = () => {
    forgetRefusal();
    setSaid(undefined);
    begin(now, person.version);
  };
  const isHeld = change.isPending || isAway;
  return (
    <Sheet title={isSuspending ? suspendWords.title(name) : name} close={close}>
      {isSuspending ? (
        <p>{suspendWords.text}</p>
      ) : (
        <PersonParts person={person} roles={roles} setRoles={choose} isOwn={isOwn} isComplete={isComplete} />
      )}
      <output>{said !== undefined && <p className="banner ok">{said}</p>}</output>
      <ConfirmFailure error={change.error} retry={retry} />
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
        <>
          <Changed changes={changes}>
            <button type="button" onClick={showNow}>
              {words.conflict.look}
            </button>
          </Changed>
          <div className="actions">
            <Change
              person={person}
              version={version}
              roles={roles}
              canSave={canSave}
              isHeld={isHeld}
              isAsking={change.isPending}
              send={send}
              suspend={isOwn ? undefined : () => setSuspending(true)}
            />
            <button type="button" className="push" onClick={close}>
              {words.close}
            </button>
          </div>
        </>
      )}
    </Sheet>
  );
}

/** A suspension is done whatever another admin has changed: it takes everything away. */
const versionFor = ({ status }: PersonPatch, version: number) =>
  status === "Suspended" ? undefined : version;

/** What is ticked, and what became since of the roles, and of the version, with which the choice began. */
function useRoleChoice(now: readonly Role[], versionNow: number) {
  const [known, setKnown] = useState(now);
  const [version, setVersion] = useState(versionNow);
  const [roles, setRoles] = useState(now);
  const begin = (from: readonly Role[], ofVersion: number) => {
    setKnown(from);
    setVersion(ofVersion);
    setRoles(from);
  };
  const isChanged = without(roles, known).length + without(known, roles).length > 0;
  const ofRoles = [
    ...without(now, known).map(words.conflict.given),
    ...without(known, now).map(words.conflict.taken),
  ];
  const changes = ofRoles.length === 0 && version !== versionNow ? [words.conflict.other] : ofRoles;
  return { roles, setRoles, begin, isChanged, version, changes };
}

const without = (roles: readonly Role[], others: readonly Role[]) =>
  roles.filter((role) => !others.includes(role));

interface ChangeProps {
  readonly person: Person;
  /** The version that the admin has seen. */
  readonly version: number;
  readonly roles: readonly Role[];
  readonly canSave: boolean;
  readonly isHeld: boolean;
  readonly isAsking: boolean;
  readonly send: (patch: PersonPatch) => void;
  /** Missing for whoever is signed in. */
  readonly suspend: (() => void) | undefined;
}

function Change({ person, version, roles, canSave, isHeld, isAsking, send, suspend }: ChangeProps) {
  if (person.status === "Suspended") {
    return (
      <button type="button" disabled={isHeld} onClick={() => send({ status: "Active" })}>
        {isAsking ? form.asking : suspendWords.resume}
      </button>
    );
  }
  return (
    <>
      <button
        type="button"
        className="primary"
        disabled={!canSave || isHeld}
        onClick={() => send({ roles: [...roles] })}
      >
        {isAsking ? form.asking : words.save}
      </button>
      {suspend !== undefined && (
        <button type="button" className="bad" onClick={suspend}>
          {suspendWords.open}
        </button>
      )}
      {canSave && <CopyCurl request={requestOf(person.id, { patch: { roles: [...roles] }, version })} />}
    </>
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
      <CopyCurl request={requestOf(id, { patch: { status: "Suspended" }, version: undefined })} />
    </div>
  );
}

function requestOf(id: string, change: PersonChange) {
  return {
    method: "PATCH" as const,
    path: `/v1/people/${id}`,
    body: change.patch,
    ifMatch: ifMatchOf(change),
  };
}

interface PersonPartsProps {
  readonly person: Person;
  readonly roles: readonly Role[];
  readonly setRoles: (roles: readonly Role[]) => void;
  readonly isOwn: boolean;
  readonly isComplete: boolean;
}

function PersonParts({ person, roles, setRoles, isOwn, isComplete }: PersonPartsProps) {
  return (
    <>
      <PersonDetails person={person} />
      {person.status === "Active" && (
        <>
          <RoleChoices chosen={roles} change={setRoles} {...(isOwn ? { among: person.roles[mode] } : {})} />
          <p className="dim">{isOwn ? words.own : `${form.note[mode]} ${words.ends}`}</p>
          {!isComplete && <p className="notice">{words.unlisted}</p>}
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
