import { Menu } from "@base-ui/react/menu";
import { KeyRound, LockKeyhole, LogOut, Monitor } from "lucide-react";
import { useState } from "react";
import { callAuth } from "../api/call.ts";
import type { Me } from "../api/me.ts";
import { basePath, mode } from "../book.ts";
import { visible } from "../parts/visible-text.ts";
import { texts } from "../texts/texts.ts";
import { Passkeys } from "./passkeys.tsx";
import { Password } from "./password.tsx";
import { Sessions } from "./sessions.tsx";

/** Who is signed in, and the way out. */
export function Person({ me }: { me: Me }) {
  const name = visible(me.person?.name ?? me.principal);
  const roles = me.person?.roles[mode].join(", ") ?? texts.shell.byApiKey;
  const [opened, setOpened] = useState<"passkeys" | "sessions" | "password">();
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
                <KeyRound size={15} aria-hidden /> {texts.passkeys.menu}
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => setOpened("sessions")}>
                <Monitor size={15} aria-hidden /> {texts.sessions.menu}
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => setOpened("password")}>
                <LockKeyhole size={15} aria-hidden /> {texts.password.menu}
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => void signOut()}>
                <LogOut size={15} aria-hidden /> {texts.shell.signOut}
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {opened === "passkeys" && <Passkeys close={close} />}
      {opened === "sessions" && <Sessions close={close} />}
      {opened === "password" && <Password close={close} />}
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

/** Also leaves when the gateway does not answer: the page forgets everything, and the session ends by itself. */
export async function signOut(): Promise<void> {
  await callAuth("POST", "/sign-out").catch(() => undefined);
  sessionStorage.clear();
  location.assign(`${basePath}/sign-in`);
}
