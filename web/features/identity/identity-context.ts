import { createContext } from 'react'
import type { IdentityClient } from './identity-client.ts'

/** The page's one identity client. */
export const IdentityContext = createContext<IdentityClient | null>(null)
