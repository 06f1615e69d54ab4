import { screenLoader } from "#app/http/screen.ts";
import { AppError } from "#app/lib/errors.ts";

/** An unknown address is a screen, so that its page too has the bar and the theme of whoever asks. */
export const loader = screenLoader("public", () => {
  throw new AppError("not_found", "There is nothing at this address.");
});

export default function NotFoundScreen() {
  return null;
}
