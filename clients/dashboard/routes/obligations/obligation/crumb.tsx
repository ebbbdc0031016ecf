import { Link } from "@tanstack/react-router";
import { obligationTexts } from "../../../texts/obligations.ts";

/** The way back to the list. */
export function Crumb() {
  return (
    <>
      <Link className="crumb" to="/obligations">
        {obligationTexts.title}
      </Link>
      <span className="crumb"> / </span>
    </>
  );
}
