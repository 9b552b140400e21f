/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PRESET_FOLDER_H
#define PRESET_FOLDER_H

#include <string>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @param sources folder of the presets in the sources that the module was built from, such as
 *        .../examples/models
 * @return the folder where the presets are now, see FindPresetFolder()
 */
std::string GetPresetFolder(const std::string& sources);

/**
 * @ingroup workload-replay
 * @param sources folder of the presets in the sources that the module was built from
 * @param library file of the module's library
 * @return the folder of the presets: that one, or, where the sources are not, that of the same name
 *         in the installation that the library belongs to (PREFIX/share/workload-replay/models)
 */
std::string FindPresetFolder(const std::string& sources, const std::string& library);

} // namespace ns3

#endif /* PRESET_FOLDER_H */
