import * as z from "zod/mini";
import { openImage } from "#app/domain/search/images.ts";
import { about, file } from "#app/http/about.ts";
import { type Call, endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { fileAnswer } from "#app/http/file-answer.ts";
import { described } from "#app/lib/json/named-schema.ts";

/** Pages of origins that the operator allows may use images, but nothing else of Odin. */
const IMAGE = { crossOrigin: true };

type ImageCall = Pick<
  Call<"GET /proxy-rekor-image", "signed-in", typeof none>,
  "app" | "actor" | "query" | "request"
>;
type Wanted = Omit<Parameters<typeof openImage>[2], "signal">;

/** Returns a handler that proxies an image; `wanted` returns the image that the query names. */
const answerImage =
  (wanted: (query: URLSearchParams) => Wanted) =>
  async ({ app, actor, query, request }: ImageCall) =>
    fileAnswer(await openImage(app, actor, { ...wanted(query), signal: request.signal }));

/** Returns the reference of an image: documented clients send it under the name of the result field that they have. */
const referenceIn = (query: URLSearchParams) =>
  ["image_uuid", "image_path", "url", "path"].map((name) => query.get(name)).find(Boolean) ?? null;

const ofRekor = answerImage((query) => ({
  program: "Rekor",
  reference: referenceIn(query),
  asBase64: query.get("as_base64") === "true",
}));
// A documented client has one `image_uuid` per read: this URL returns the vehicle image, the URL above the plate image.
const ofRekorVehicle = answerImage((query) => ({
  program: "Rekor",
  reference: referenceIn(query),
  kind: "vehicle",
}));
const ofAxon = answerImage((query) => ({ program: "Axon", reference: referenceIn(query) }));
const ofAxis = answerImage((query) => ({ program: "Axis", reference: referenceIn(query) }));

const REFERENCE = described("A reference of a result of the caller.", z.string());

const { loader, action } = endpoints(
  "Images",
  endpoint(
    "GET /rekor/cropped-plate",
    "signed-in",
    none,
    about(
      "Returns the plate image of a Rekor read.",
      file({ "image/*": "The image.", "text/plain": "The image in base64." }),
      {
        query: z.object({
          image_uuid: REFERENCE,
          as_base64: described("true for base64.", z.optional(z.string())),
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
    about("Returns the vehicle image of a Rekor read.", file({ "image/*": "The image." }), {
      query: z.object({ image_uuid: REFERENCE }),
    }),
    ofRekorVehicle,
    IMAGE,
  ),
  endpoint(
    "GET /proxy-axon-image",
    "signed-in",
    none,
    about("Returns the vehicle image of an Axon read.", file({ "image/*": "The image." }), {
      query: z.object({ url: REFERENCE }),
    }),
    ofAxon,
    IMAGE,
  ),
  endpoint(
    "GET /proxy-axon-plate-image",
    "signed-in",
    none,
    about("Returns the plate image of an Axon read.", file({ "image/*": "The image." }), {
      query: z.object({ url: REFERENCE }),
    }),
    ofAxon,
    IMAGE,
  ),
  endpoint(
    "GET /proxy-axis-image",
    "signed-in",
    none,
    about("Returns an image of an Axis read.", file({ "image/*": "The image." }), {
      query: z.object({ path: REFERENCE }),
    }),
    ofAxis,
    IMAGE,
  ),
);

export { action, loader };
