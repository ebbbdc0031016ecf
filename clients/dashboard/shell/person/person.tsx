import { Menu } from "@base-ui/react/menu";
import { Keyboard, KeyRound, LockKeyhole, LogOut, Monitor } from "lucide-react";
import { useState } from "react";
import type { Me } from "../../api/people/me.ts";
import { mode } from "../../book.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { passkeyTexts } from "../../texts/passkeys.ts";
import { passwordTexts, sessionTexts } from "../../texts/people.ts";
import { shellTexts } from "../../texts/shell.ts";
import { KeyboardSheet } from "../navigation/keyboard-help.tsx";
import { Passkeys } from "./passkeys.tsx";
import { Password } from "./password.tsx";
import { Sessions } from "./sessions.tsx";
import { SignOutFailure, useSignOut } from "./sign-out.tsx";

/** Who is signed in, and the way out. */
export function Person({ me }: { me: Me }) {
  const name = visible(me.person?.name ?? me.principal);
  const roles = me.person?.roles[mode].join(", ") ?? shellTexts.byApiKey;
  const [opened, setOpened] = useState<"passkeys" | "sessions" | "password" | "keyboard">();
  const signOut = useSignOut();
  const close = () => setOpened(undefined);
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className="person">
          <span className="avatar" aria-hidden>
            {initialsOf(name)}
          </span>
          <span>
            <b>{name}</b>
            <small>
              {roles} · {me.principal}
            </small>
          </span>
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="menu-layer" sideOffset={4} align="start" side="top">
            <Menu.Popup className="menu">
              <Menu.Item className="menu-item" onClick={() => setOpened("passkeys")}>
                <KeyRound size={15} aria-hidden /> {passkeyTexts.menu}
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => setOpened("sessions")}>
                <Monitor size={15} aria-hidden /> {sessionTexts.menu}
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => setOpened("password")}>
                <LockKeyhole size={15} aria-hidden /> {passwordTexts.menu}
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => setOpened("keyboard")}>
                <Keyboard size={15} aria-hidden /> {shellTexts.keyboard.menu}
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => signOut.mutate()}>
                <LogOut size={15} aria-hidden /> {shellTexts.signOut}
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {opened === "passkeys" && <Passkeys close={close} />}
      {opened === "sessions" && <Sessions close={close} />}
      {opened === "password" && <Password close={close} />}
      {opened === "keyboard" && <KeyboardSheet close={close} />}
      <SignOutFailure signOut={signOut} />
    </>
  );
}

function initialsOf(name: string): string {
  const words = name.split(/[\s_.-]+/).filter((word) => word !== "");
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? "")
    .join("");
}
