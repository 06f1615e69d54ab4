// A program that uses the API with types generated from its document. tests/unit/integrations/open-api-types.test.ts
// generates paths.d.ts and compiles this file, and tests/worker/integrations/open-api.test.ts runs it.

import createClient from "openapi-fetch";
import type { paths } from "./paths.d.ts";

type Input = {
  origin: string;
  fetch: (request: Request) => Promise<Response>;
  username: string;
  password: string;
  agencies: string[];
  from: string;
  until: string;
};

type Found = { plate: string; program: "Rekor" | "Axon" | "Axis"; at: string | null };

/** Signs in, searches, reads the summary of the results, and returns what was found. */
export async function searchAsProgram(
  input: Input,
): Promise<{ found: Found[]; count: number; refusal: string }> {
  const client = createClient<paths>({ baseUrl: input.origin, fetch: input.fetch });
  const { username, password } = input;
  const signedIn = await client.POST("/login", { body: { username, password, client: "api" } });
  const token = signedIn.data?.token;
  if (token === undefined) throw new Error(signedIn.error?.message ?? "There is no token.");
  const headers = { authorization: `Bearer ${token}` };
  const body = {
    justification: "Stolen vehicle, case 26-1044",
    case_number: "26-1044",
    start_time: input.from,
    end_time: input.until,
    agencies: input.agencies,
  };
  const answer = await client.POST("/search-data", { headers, body });
  if (answer.error) throw new Error(answer.error.message);
  if (typeof answer.data === "string") throw new Error("The answer is not JSON.");
  const found = answer.data.map(({ plate, source_program, timestamp }) => ({
    plate,
    program: source_program,
    at: timestamp,
  }));
  const id = answer.response.headers.get("odin-result-id") ?? "";
  const summary = await client.GET("/results/{id}/summary", { headers, params: { path: { id } } });
  const refused = await client.GET("/admin-data", { headers });
  return {
    found,
    count: summary.data?.count ?? 0,
    refusal: refused.error?.code ?? "",
  };
}
