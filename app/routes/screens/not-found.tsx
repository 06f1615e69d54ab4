import { screenLoader } from "#app/http/screen.ts";
import { AppError } from "#app/lib/errors.ts";

/** Unknown URLs have a screen, so that their error page has the user's navigation bar and theme. */
export const loader = screenLoader("public", () => {
  throw new AppError("not_found", "This page does not exist.");
});

export default function NotFoundScreen() {
  return null;
}
