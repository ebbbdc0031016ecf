import { Monitor } from "lucide-react";
import type { Session } from "../../../typescript/types.gen.ts";
import { useEndSessions, useSessions } from "../../api/people/sessions.ts";
import { Chip } from "../../parts/values/chip.tsx";
import { FailureNote, Loading } from "../../parts/page/failure.tsx";
import { Moment } from "../../parts/values/moment.tsx";
import { Sheet } from "../../parts/page/sheet.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { sessionTexts as words } from "../../texts/people.ts";
import { browserOf } from "./browser-of.ts";

/** Where the person is signed in, and a way to end it there. */
export function Sessions({ close }: { close: () => void }) {
  const sessions = useSessions();
  const end = useEndSessions();
  const others = (sessions.data ?? []).filter(({ isCurrent }) => !isCurrent);
  return (
    <Sheet title={words.title} close={close}>
      <p className="dim">{words.why}</p>
      {sessions.isPending && <Loading lines={2} />}
      {sessions.isError && <FailureNote error={sessions.error} />}
      <ul className="passkeys">
        {sessions.data?.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            isHeld={end.isPending}
            end={() => end.mutate([session.id])}
          />
        ))}
      </ul>
      {end.isError && <FailureNote error={end.error} />}
      <div className="actions">
        {others.length > 0 && (
          <button
            type="button"
            className="bad"
            disabled={end.isPending}
            onClick={() => end.mutate(others.map(({ id }) => id))}
          >
            {words.endOthers}
          </button>
        )}
        <button type="button" className="push" onClick={close}>
          {words.close}
        </button>
      </div>
    </Sheet>
  );
}

interface SessionRowProps {
  readonly session: Session;
  readonly isHeld: boolean;
  readonly end: () => void;
}

function SessionRow({ session, isHeld, end }: SessionRowProps) {
  const { userAgent, address, isCurrent, signedInAt, lastUsedAt } = session;
  const browser = userAgent === null ? words.unknownBrowser : visible(browserOf(userAgent));
  return (
    <li>
      <Monitor aria-hidden />
      <span>
        <b>{browser}</b> {words.from(address)}
        <small>
          {words.signedIn} <Moment at={signedInAt} /> · {words.lastUsed} <Moment at={lastUsedAt} as="time" />
        </small>
      </span>
      {isCurrent ? (
        <Chip tone="ok">{words.current}</Chip>
      ) : (
        <button
          type="button"
          className="quiet bad"
          disabled={isHeld}
          aria-label={words.endNamed(browser, address)}
          onClick={end}
        >
          {words.end}
        </button>
      )}
    </li>
  );
}
