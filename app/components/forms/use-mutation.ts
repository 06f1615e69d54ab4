import { useRevalidator } from "@remix-run/react";
import { useState } from "react";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { LOSS, withLoss } from "#app/entities/form-answer.ts";
import { textIn } from "#app/lib/json/parse.ts";
import { type Answer, notifyFailure } from "./api.ts";

export type MutationOptions = {
  /** Keeps the error in `problem`, for the form that shows it; by default it is shown as a message. */
  inline?: boolean;
  /**
   * When the screen's data is fetched again; by default after success, if what is on the screen no longer exists, and if
   * the outcome is unknown.
   */
  refresh?: "success" | "always" | "never";
};

type Mutation<T> = {
  /** Distinguishes this mutation from the screen's others in `pending`. */
  key?: string;
  /** The success message, or a function that runs after success; by default the server's `msg` is shown. */
  done?: string | ((value: T) => unknown);
};

/** Changes something on the server: shows whether it is pending and how it ended, and refreshes the screen's data. */
export function useMutation({ inline = false, refresh = "success" }: MutationOptions = {}) {
  const { revalidate } = useRevalidator();
  const [pending, setPending] = useState<string>();
  const [problem, setProblem] = useState("");

  /** Returns whether the call succeeded. */
  async function mutate<T>(call: Promise<Answer<T>>, { key = "one", done }: Mutation<T> = {}) {
    setPending(key);
    setProblem("");
    const answer = await call;
    setPending(undefined);
    if (answer.ok) report(answer.value, done);
    else if (!answer.declined) {
      if (inline) setProblem(withLoss(answer.message, answer.loss));
      else notifyFailure(answer);
    }
    const isOutdated = answer.ok || answer.status === 404 || answer.loss === LOSS.unanswered;
    if (refresh === "always" || (refresh === "success" && isOutdated)) revalidate();
    return answer.ok;
  }

  return { mutate, pending, problem, setProblem };
}

function report<T>(value: T, done: Mutation<T>["done"]): void {
  if (typeof done === "function") return void done(value);
  const message = done ?? textIn(value, "msg");
  if (message) notify.success(message);
}
