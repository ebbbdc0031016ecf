/** Prints the OpenAPI document of /v1, for `make openapi` and `make check`. */
import "reflect-metadata";
import { previewOf } from "./document/preview.ts";
import { writeDocument } from "./document/write.ts";

process.stdout.write(JSON.stringify(writeDocument(await previewOf(), "v1")));
