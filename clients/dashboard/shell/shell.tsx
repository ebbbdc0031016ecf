import { Outlet } from "@tanstack/react-router";
import { useState } from "react";
import { mode, otherBookPath } from "../book.ts";
import { useMe } from "../api/me.ts";
import { problemOf } from "../api/problem.ts";
import { Failure, Loading } from "../parts/failure.tsx";
import { TitleSlot, useTitleSlot } from "../parts/page-title.tsx";
import { texts } from "../texts/texts.ts";
import { AwayNote } from "./away-note.tsx";
import { Header } from "./header.tsx";
import { KeyboardHelp } from "./keyboard-help.tsx";
import { Navigation } from "./navigation.tsx";
import { signOut } from "./person.tsx";
import { TestBar } from "./test-bar.tsx";

const classes = mode === "Test" ? "shell in-test" : "shell";

/** What stands around every screen. It draws no screen before it knows who is signed in. */
export function Shell() {
  const me = useMe();
  const [slot, setSlot] = useTitleSlot();
  const [isMenuOpen, setMenuOpen] = useState(false);
  if (me.data === undefined) {
    return (
      <>
        <TestBar />
        <main className={mode === "Test" ? "in-test" : ""}>
          {me.isError ? <NoBook error={me.error} retry={me.refetch} /> : <Loading />}
        </main>
      </>
    );
  }
  return (
    <TitleSlot value={slot}>
      <a className="skip button" href="#content">
        {texts.shell.skip}
      </a>
      <TestBar maySimulate={me.data.scopes.includes("simulate")} />
      <div className={classes}>
        <Navigation me={me.data} isOpen={isMenuOpen} close={() => setMenuOpen(false)} />
        <div className="page">
          <Header titleRef={setSlot} isMenuOpen={isMenuOpen} toggleMenu={() => setMenuOpen(!isMenuOpen)} />
          <main className="main" id="content" tabIndex={-1}>
            <AwayNote />
            <Outlet />
          </main>
        </div>
      </div>
      <KeyboardHelp />
    </TitleSlot>
  );
}

/** Shown to a person without a role in this book: they can switch to the other book, or sign out. */
function NoBook({ error, retry }: { error: unknown; retry: () => unknown }) {
  return (
    <>
      <h1 className="hidden-visually">{texts.shell.product}</h1>
      <Failure error={error} retry={retry}>
        {problemOf(error).status === 403 && (
          <p className="actions">
            <a className="button" href={otherBookPath}>
              {texts.shell.otherBook[mode]}
            </a>
            <button type="button" onClick={() => void signOut()}>
              {texts.shell.signOut}
            </button>
          </p>
        )}
      </Failure>
    </>
  );
}
