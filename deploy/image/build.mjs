import { buildImage, findEngine } from './engine.mjs'

// Builds the image 'yonder' with Docker or Podman. BASE_IMAGE replaces the base image of the Dockerfile.
await buildImage(await findEngine(), process.env['BASE_IMAGE'])
