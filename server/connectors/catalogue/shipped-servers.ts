import type { BrowseServer } from '@yonder/contract/connector'
import { presentServer } from './read-registry-page.ts'

/** Shown until the registry has returned a server, and when no registry is configured. */
export const shippedServers: readonly BrowseServer[] = [
  {
    name: 'com.deepwiki/mcp',
    title: 'DeepWiki',
    description: 'Documentation of public code repositories, and answers to questions about them.',
    url: 'https://mcp.deepwiki.com/mcp',
  },
  {
    name: 'com.microsoft.learn/mcp',
    title: 'Microsoft Learn',
    description: 'Searches and reads the technical documentation of Microsoft.',
    url: 'https://learn.microsoft.com/api/mcp',
  },
  {
    name: 'com.cloudflare.mcp/docs',
    title: 'Cloudflare documentation',
    description: 'Searches the documentation of Cloudflare.',
    url: 'https://docs.mcp.cloudflare.com/mcp',
  },
  {
    name: 'com.context7/mcp',
    title: 'Context7',
    description: 'Current documentation of programming libraries.',
    url: 'https://mcp.context7.com/mcp',
  },
  {
    name: 'co.huggingface/mcp',
    title: 'Hugging Face',
    description: 'Models, data sets, papers and applications of the Hugging Face hub.',
    url: 'https://huggingface.co/mcp',
  },
  {
    name: 'com.githubcopilot/mcp',
    title: 'GitHub',
    description: 'Repositories, issues and pull requests. Needs a personal access token.',
    url: 'https://api.githubcopilot.com/mcp/',
    needsToken: true,
  },
  {
    name: 'com.notion/mcp',
    title: 'Notion',
    description: 'Pages and databases of a Notion workspace. You give your consent when you connect it.',
    url: 'https://mcp.notion.com/mcp',
  },
  {
    name: 'app.linear/mcp',
    title: 'Linear',
    description: 'Issues and projects of a Linear workspace. You give your consent when you connect it.',
    url: 'https://mcp.linear.app/mcp',
  },
  {
    name: 'dev.sentry/mcp',
    title: 'Sentry',
    description: 'Errors and their traces. You give your consent when you connect it.',
    url: 'https://mcp.sentry.dev/mcp',
  },
].map(presentServer)
