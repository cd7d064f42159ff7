import { Navigate, useParams } from 'react-router'
import { useProject } from '../../data/projects.ts'
import { ProjectChats } from '../../features/chat-list/project-chats.tsx'
import { ProjectView } from '../../features/projects/project-view.tsx'
import { PageTitle } from '../page-title.tsx'

/** Shows the project whose id is in the path. */
export function ProjectScreen() {
  const { id } = useParams()
  if (id === undefined) return <Navigate to="/" replace />
  return (
    <>
      <ProjectTitle projectId={id} />
      <ProjectView key={id} projectId={id} chats={<ProjectChats projectId={id} />} />
    </>
  )
}

/** The name of the project in the tab. */
function ProjectTitle({ projectId }: { readonly projectId: string }) {
  return <PageTitle>{useProject(projectId).data?.name ?? 'Project'}</PageTitle>
}
