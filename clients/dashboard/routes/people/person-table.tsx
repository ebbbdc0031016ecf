import type { Person, PersonStatus, Role } from "../../../typescript/types.gen.ts";
import { useMe } from "../../api/people/me.ts";
import { mode } from "../../book.ts";
import { Chip, type Tone } from "../../parts/values/chip.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { peopleTexts as words } from "../../texts/people.ts";

const tones: Record<PersonStatus, Tone> = { Active: "ok", Suspended: "bad" };
export const otherMode = mode === "Test" ? "Live" : "Test";

interface PersonTableProps {
  readonly people: readonly Person[];
  /** The roles that wait for another admin, by the person's id. */
  readonly waiting: ReadonlyMap<string, readonly Role[]>;
  /** Missing until it is known what waits. */
  readonly open?: (person: Person) => void;
}

export function PersonTable({ people, waiting, open }: PersonTableProps) {
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
                <button
                  type="button"
                  className="row-open"
                  disabled={open === undefined}
                  onClick={() => open?.(person)}
                >
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
                  <Roles roles={person.roles[mode]} waiting={waiting.get(person.id)} />
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

interface RolesProps {
  readonly roles: readonly Role[];
  readonly waiting?: readonly Role[] | undefined;
}

export function Roles({ roles, waiting = [] }: RolesProps) {
  if (roles.length + waiting.length === 0) return <span className="dim">{words.noRole}</span>;
  return (
    <span className="chips">
      {roles.map((role) => (
        <Chip key={role}>{role}</Chip>
      ))}
      {waiting.map((role) => (
        <Chip key={role} tone="warn">
          {words.waits(role)}
        </Chip>
      ))}
    </span>
  );
}
