/**
 * `ODIN_TOKEN=… npm run -s rotate-keys -- https://odin.example`: re-encrypts every sealed secret with the newest key of
 * SEALING_KEYS. The token is that of a bearer session of the owner (POST /login with `"client": "api"`), at most ten
 * minutes old. It can be stopped and run again at any time. Remove the older key when nothing remains.
 */
import type { Rotated } from "../../app/domain/operations/secret-rotation.ts";
import { callOdin } from "./odin-call.ts";

const call = callOdin({
  base: process.argv[2],
  token: process.env.ODIN_TOKEN,
  usage: "ODIN_TOKEN=… npm run -s rotate-keys -- https://odin.example",
});

let resealed = 0;
for (;;) {
  const part = await call<Rotated>("POST", "/rotate-keys");
  resealed += part.resealed;
  console.log(`${resealed} secrets moved to key ${part.version}, ${part.remaining} remain.`);
  if (part.unreadable > 0)
    console.error(`${part.unreadable} secrets cannot be opened with any key and stay unchanged.`);
  if (part.remaining === 0) process.exit(part.unreadable > 0 ? 1 : 0);
  if (part.resealed === 0) {
    console.error(
      "Nothing was moved, because the remaining secrets were changed at the same time. Run it again.",
    );
    process.exit(1);
  }
}
