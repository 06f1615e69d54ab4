import { TEST_VIRUS } from "../../app/lib/files/test-virus.ts";

/** A text that only the simulated scanner reports as a virus. */
const OTHER_VIRUS = "ODIN-SIMULATED-VIRUS";

/** POST /scan: the contract of app/providers/scanner.ts, for a scanner that knows two viruses. */
export async function handleScanner(request: Request): Promise<Response> {
  const text = new TextDecoder("windows-1252").decode(await request.arrayBuffer());
  if (text.includes(TEST_VIRUS)) return Response.json({ clean: false, found: "EICAR-Test-File" });
  if (text.includes(OTHER_VIRUS)) return Response.json({ clean: false, found: "Simulated.Virus" });
  return Response.json({ clean: true });
}
