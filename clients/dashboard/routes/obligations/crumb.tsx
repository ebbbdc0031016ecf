import { Link } from "@tanstack/react-router";
import { texts } from "../../texts/texts.ts";

/** The way back to the list. */
export function Crumb() {
  return (
    <>
      <Link className="crumb" to="/obligations">
        {texts.obligations.title}
      </Link>
      <span className="crumb"> / </span>
    </>
  );
}
