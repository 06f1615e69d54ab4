import { useRevalidator } from "@remix-run/react";
import { type ApiCall, callApi, problemOf, wasDeclined } from "#app/components/accounts/call-api.ts";
import { notify } from "#app/components/ui/dialogs/notify.ts";

export type ActInput<T> = {
  path: string;
  call: ApiCall;
  /** What is said where the server gives no words of its own. */
  failed: string;
  done?: (answer: T) => void;
};

/** Calls the server, says how it went, and has the screen's data fetched anew. Gives whether it worked. */
export function useAct() {
  const { revalidate } = useRevalidator();
  return async function act<T extends { msg?: string }>({ path, call, failed, done }: ActInput<T>) {
    try {
      const answer = await callApi<T>(path, call);
      if (done) done(answer);
      else if (answer.msg) notify.success(answer.msg);
      revalidate();
      return true;
    } catch (error) {
      if (!wasDeclined(error)) notify.error(problemOf(error, failed));
      return false;
    }
  };
}
