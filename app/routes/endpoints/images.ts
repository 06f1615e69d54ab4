import * as z from "zod/mini";
import { openImage } from "#app/domain/search/images.ts";
import { about, file } from "#app/http/about.ts";
import { type Call, endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { fileAnswer } from "#app/http/file-answer.ts";
import { said } from "#app/lib/json/named-schema.ts";

/** Pages of origins that the operator allows may use images, and nothing else of Odin. */
const IMAGE = { crossOrigin: true };

type ImageCall = Pick<
  Call<"GET /proxy-rekor-image", "signed-in", typeof none>,
  "app" | "actor" | "query" | "request"
>;
type Wanted = Omit<Parameters<typeof openImage>[2], "signal">;

/** Returns a handler that proxies an image; `wanted` reads from the query which one. */
const answerImage =
  (wanted: (query: URLSearchParams) => Wanted) =>
  async ({ app, actor, query, request }: ImageCall) =>
    fileAnswer(await openImage(app, actor, { ...wanted(query), signal: request.signal }));

/** Documented clients name a picture by the field of the result that they have. */
const referenceIn = (query: URLSearchParams) =>
  ["image_uuid", "image_path", "url", "path"].map((name) => query.get(name)).find(Boolean) ?? null;

const ofRekor = answerImage((query) => ({
  program: "Rekor",
  reference: referenceIn(query),
  asBase64: query.get("as_base64") === "true",
}));
// A documented client has one `image_uuid` per read: this URL returns the vehicle, the one above the plate.
const ofRekorVehicle = answerImage((query) => ({
  program: "Rekor",
  reference: referenceIn(query),
  kind: "vehicle",
}));
const ofAxon = answerImage((query) => ({ program: "Axon", reference: referenceIn(query) }));
const ofAxis = answerImage((query) => ({ program: "Axis", reference: referenceIn(query) }));

const REFERENCE = said("A reference of a result of the caller.", z.string());

const { loader, action } = endpoints(
  "Images",
  endpoint(
    "GET /rekor/cropped-plate",
    "signed-in",
    none,
    about(
      "Returns the plate of a Rekor read.",
      file({ "image/*": "The picture.", "text/plain": "The picture in base64." }),
      {
        query: z.object({
          image_uuid: REFERENCE,
          as_base64: said("true for base64.", z.optional(z.string())),
        }),
      },
    ),
    ofRekor,
    IMAGE,
  ),
  endpoint(
    "GET /proxy-rekor-image",
    "signed-in",
    none,
    about("Returns the vehicle of a Rekor read.", file({ "image/*": "The picture." }), {
      query: z.object({ image_uuid: REFERENCE }),
    }),
    ofRekorVehicle,
    IMAGE,
  ),
  endpoint(
    "GET /proxy-axon-image",
    "signed-in",
    none,
    about("Returns the vehicle of an Axon read.", file({ "image/*": "The picture." }), {
      query: z.object({ url: REFERENCE }),
    }),
    ofAxon,
    IMAGE,
  ),
  endpoint(
    "GET /proxy-axon-plate-image",
    "signed-in",
    none,
    about("Returns the plate of an Axon read.", file({ "image/*": "The picture." }), {
      query: z.object({ url: REFERENCE }),
    }),
    ofAxon,
    IMAGE,
  ),
  endpoint(
    "GET /proxy-axis-image",
    "signed-in",
    none,
    about("Returns a picture of an Axis read.", file({ "image/*": "The picture." }), {
      query: z.object({ path: REFERENCE }),
    }),
    ofAxis,
    IMAGE,
  ),
);

export { action, loader };
