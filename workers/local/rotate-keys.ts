/**
 * `ODIN_TOKEN=… npm run -s rotate-keys -- https://odin.example`: re-encrypts every sealed secret with the newest key of
 * SEALING_KEYS. The token is that of a bearer session of the owner (POST /login with `"client": "api"`), at most ten
 * minutes old. It can be stopped and run again at any time. Remove the older key when nothing remains.
 */
import type { Rotated } from "../../app/domain/operations/secret-rotation.ts";

const [base] = process.argv.slice(2);
const token = process.env.ODIN_TOKEN;
if (!base || !token) {
  console.error("ODIN_TOKEN=… npm run -s rotate-keys -- https://odin.example");
  process.exit(2);
}

let resealed = 0;
for (;;) {
  const response = await fetch(new URL("/rotate-keys", base), {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    redirect: "error",
  });
  if (!response.ok) {
    console.error(`${response.status}: ${await response.text()}`);
    process.exit(2);
  }
  const part: Rotated = await response.json();
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
