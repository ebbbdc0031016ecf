import type { Person, PersonStatus, Role } from "../../../typescript/types.gen.ts";
import { useMe } from "../../api/me.ts";
import { mode } from "../../book.ts";
import { Chip, type Tone } from "../../parts/chip.tsx";
import { visible } from "../../parts/visible-text.ts";
import { texts } from "../../texts/texts.ts";

const { people: words } = texts;
const tones: Record<PersonStatus, Tone> = { Active: "ok", Suspended: "bad" };
export const otherMode = mode === "Test" ? "Live" : "Test";

export function PersonTable({ people, open }: { people: readonly Person[]; open: (person: Person) => void }) {
  const me = useMe().data?.person?.id;
  const { columns } = words;
  return (
    <div className="card">
      <table className="list">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.name}</th>
            <th scope="col" className="wide">
              {columns.principal}
            </th>
            <th scope="col">{columns.roles}</th>
            <th scope="col" className="wide">
              {columns.otherBook[mode]}
            </th>
            <th scope="col" className="wide">
              {columns.status}
            </th>
          </tr>
        </thead>
        <tbody>
          {people.map((person) => (
            <tr key={person.id} className="link">
              <td>
                <button type="button" className="row-open" onClick={() => open(person)}>
                  {visible(person.name)}
                </button>{" "}
                {person.id === me && <Chip tone="info">{words.you}</Chip>}
                <small>{visible(person.email)}</small>
              </td>
              <td className="wide name">{visible(person.principal)}</td>
              <td>
                {person.status === "Suspended" ? (
                  <PersonState status={person.status} />
                ) : (
                  <Roles roles={person.roles[mode]} />
                )}
              </td>
              <td className="wide">
                <Roles roles={person.roles[otherMode]} />
              </td>
              <td className="wide">
                <PersonState status={person.status} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function PersonState({ status }: { status: PersonStatus }) {
  return <Chip tone={tones[status]}>{words.statuses[status]}</Chip>;
}

export function Roles({ roles }: { roles: readonly Role[] }) {
  if (roles.length === 0) return <span className="dim">{words.noRole}</span>;
  return (
    <span className="chips">
      {roles.map((role) => (
        <Chip key={role}>{role}</Chip>
      ))}
    </span>
  );
}
