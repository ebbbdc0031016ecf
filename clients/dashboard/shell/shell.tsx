import { Outlet } from "@tanstack/react-router";
import { useState } from "react";
import { mode, otherBookPath } from "../book.ts";
import { useMe } from "../api/people/me.ts";
import { problemOf } from "../api/client/problem.ts";
import { Failure, Loading } from "../parts/page/failure.tsx";
import { TitleSlot, useTitleSlot } from "../parts/page/page-title.tsx";
import { shellTexts } from "../texts/shell.ts";
import { AwayNote } from "./status/away-note.tsx";
import { FrozenNote } from "./status/frozen-note.tsx";
import { GivenPasswordNote } from "./person/given-password.tsx";
import { Header } from "./header.tsx";
import { KeyboardHelp } from "./navigation/keyboard-help.tsx";
import { Navigation } from "./navigation/navigation.tsx";
import { SignOutFailure, useSignOut } from "./person/sign-out.tsx";
import { TestBar } from "./status/test-bar.tsx";

const classes = mode === "Test" ? "shell in-test" : "shell";

/** What stands around every screen. It draws no screen before it knows who is signed in. */
export function Shell() {
  const me = useMe();
  const [slot, setSlot] = useTitleSlot();
  const [isMenuOpen, setMenuOpen] = useState(false);
  // The person's last role in this book may have been taken away while the page was open.
  const hasNoRole = me.isError && problemOf(me.error).code === "no_role_in_mode";
  if (me.data === undefined || hasNoRole) {
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
        {shellTexts.skip}
      </a>
      <TestBar maySimulate={me.data.scopes.includes("simulate")} />
      <div className={classes}>
        <Navigation me={me.data} isOpen={isMenuOpen} close={() => setMenuOpen(false)} />
        <div className="page">
          <Header titleRef={setSlot} isMenuOpen={isMenuOpen} toggleMenu={() => setMenuOpen(!isMenuOpen)} />
          <main className="main" id="content" tabIndex={-1}>
            <AwayNote />
            <FrozenNote />
            <GivenPasswordNote />
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
  const signOut = useSignOut();
  return (
    <>
      <h1 className="hidden-visually">{shellTexts.product}</h1>
      <Failure error={error} retry={retry}>
        {problemOf(error).status === 403 && (
          <p className="actions">
            <a className="button" href={otherBookPath}>
              {shellTexts.otherBook[mode]}
            </a>
            <button type="button" onClick={() => signOut.mutate()}>
              {shellTexts.signOut}
            </button>
          </p>
        )}
      </Failure>
      <SignOutFailure signOut={signOut} />
    </>
  );
}
